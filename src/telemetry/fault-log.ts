/**
 * Requests that failed, as lines of the log: each cause once a minute, with how often it came. A
 * full disk refuses every request, and would otherwise be written to the log as often.
 */

import type { Log, LogFields } from './log.js';

const kRepeatMs = 60_000;
/** Causes that are counted. Further ones are told each time. */
const kCausesMax = 256;

interface Fault {
  /** Faults of one cause differ in numbers at most. */
  readonly cause: string;
  readonly fields: () => LogFields;
}

interface Told {
  at: number;
  /** Since then. */
  count: number;
  fields: () => LogFields;
}

export class FaultLog {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #told = new Map<string, Told>();

  /** `now`: milliseconds that never go back. */
  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  tell({ cause, fields }: Fault): void {
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

  /** Tells the counts that are a minute old. Call it every now and then. */
  sweep(): void {
    this.#tellOlderThan(kRepeatMs);
  }

  /** Tells all counts. Call it at the end. */
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

  /** The last one, with the count of all since the line before. */
  #repeat(told: Told): void {
    this.#log.write('error', 'request failed', { ...told.fields(), count: told.count });
    told.at = this.#now();
    told.count = 0;
  }
}
