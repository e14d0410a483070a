/** Writes once to the log why the storage does not do all that it should: nobody may be asking. */

import type { Log } from './log.js';

const kLookMs = 10_000;

/** A reason whose numbers have changed is the same one, but for the numbers of files. */
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

  /** Tells what is new; what went and comes again is. */
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
