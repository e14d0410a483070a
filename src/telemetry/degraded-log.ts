/** Logs each reason why the storage is degraded, once. Otherwise a reason could go unnoticed. */

import type { Log } from './log.js';

const kLookMs = 10_000;

/** Reasons that differ only in numbers are of the same kind, but numbers in file names count. */
function kindOf(reason: string): string {
  return reason.replace(/\d+(?!\d*\.(?:seg|wal))/g, '0');
}

export class DegradedLog {
  readonly #log: Log;
  readonly #reasons: () => readonly string[];
  readonly #timer: NodeJS.Timeout;
  #told: ReadonlySet<string> = new Set();

  constructor(log: Log, reasons: () => readonly string[]) {
    this.#log = log;
    this.#reasons = reasons;
    this.#timer = setInterval(() => {
      this.look();
    }, kLookMs);
    this.#timer.unref();
  }

  /** Logs new reasons. A reason that disappeared and returned is new. */
  look(): void {
    const now = this.#reasons();
    for (const reason of now) {
      if (!this.#told.has(kindOf(reason))) this.#log.write('warn', 'degraded', { reason });
    }
    this.#told = new Set(now.map(kindOf));
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
