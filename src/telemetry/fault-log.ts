/**
 * Logs failed requests: each cause once a minute, with its count. A full disk fails every request
 * and would otherwise flood the log.
 */

import type { Log, LogFields } from './log.js';

const kRepeatMs = 60_000;
/** The most causes with a count. Further causes are logged each time. */
const kCausesMax = 256;

interface LoggedFault {
  /** Faults of one cause differ only in numbers. */
  readonly cause: string;
  readonly fields: () => LogFields;
}

interface ToldFault {
  at: number;
  /** Faults since `at`. */
  count: number;
  fields: () => LogFields;
}

export class FaultLog {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #told = new Map<string, ToldFault>();

  /** `now` returns monotonic milliseconds. */
  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  tell({ cause, fields }: LoggedFault): void {
    const key = cause.replace(/\d+/g, '0');
    const told = this.#told.get(key);
    if (told !== undefined) {
      told.count += 1;
      told.fields = fields;
      if (this.#now() - told.at >= kRepeatMs) this.#repeat(told);
      return;
    }
    if (this.#told.size < kCausesMax) {
      this.#told.set(key, { at: this.#now(), count: 0, fields });
    }
    this.#log.write('error', 'request failed', fields());
  }

  /** Logs the counts that are a minute old. Call this periodically. */
  sweep(): void {
    this.#tellOlderThan(kRepeatMs);
  }

  /** Logs all counts. Call this at the end. */
  end(): void {
    this.#tellOlderThan(0);
  }

  #tellOlderThan(ageMs: number): void {
    for (const [key, told] of this.#told) {
      if (this.#now() - told.at < ageMs) continue;
      if (told.count === 0) this.#told.delete(key);
      else this.#repeat(told);
    }
  }

  /** Logs the last fault of a cause, with the count of faults since the previous line. */
  #repeat(told: ToldFault): void {
    this.#log.write('error', 'request failed', { ...told.fields(), count: told.count });
    told.at = this.#now();
    told.count = 0;
  }
}
