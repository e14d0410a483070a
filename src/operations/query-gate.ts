/** How many queries run at a time: those beyond wait in line, for a while. */

import { AppError } from '../errors/app-error.js';

import type { Guard } from '../seriesql/execute/guard.js';

/** Longest time in the line, unless said otherwise. */
const kWaitMs = 2000;

interface Waiter {
  admit: () => void;
  /** Tells what became of it: its place is given on when nobody came to take it. */
  isAdmitted: boolean;
}

export class QueryGate {
  #running = 0;
  readonly #waiting = new Set<Waiter>();
  readonly #waitMs: number;

  constructor(waitMs = kWaitMs) {
    this.#waitMs = waitMs;
  }

  /** Whether one would enter at once. */
  isOpen(limit: number): boolean {
    return this.#running < limit;
  }

  /**
   * Resolves with the function that leaves again. Rejects with `too_many_queries`, and with what
   * ends the query while it waits; then it waits no longer.
   */
  async enter(limit: number, guard: Guard): Promise<() => void> {
    if (this.#running >= limit) await this.#wait(limit, guard);
    else this.#running += 1;
    let isInside = true;
    return () => {
      if (isInside) this.#leave();
      isInside = false;
    };
  }

  /** A place that is handed on stays taken. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next.isAdmitted = true;
    next.admit();
  }

  async #wait(limit: number, guard: Guard): Promise<void> {
    const waiter: Waiter = { admit: () => undefined, isAdmitted: false };
    let timer: NodeJS.Timeout | undefined;
    const admitted = new Promise<void>((resolve, reject) => {
      waiter.admit = resolve;
      timer = setTimeout(() => {
        reject(new AppError('too_many_queries', `${limit} queries run already; try again later`));
      }, this.#waitMs);
    });
    this.#waiting.add(waiter);
    try {
      await guard.during(admitted, () => undefined);
    } catch (error) {
      if (waiter.isAdmitted) this.#leave();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(waiter);
    }
  }
}
