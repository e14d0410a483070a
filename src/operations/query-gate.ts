/** How many queries run at a time: those beyond wait in line, for a while. */

import { AppError } from '../errors/app-error.js';

/** Longest time in the line, unless said otherwise. */
const kWaitMs = 2000;

interface Waiter {
  readonly admit: () => void;
  readonly timer: NodeJS.Timeout;
}

export class QueryGate {
  #running = 0;
  readonly #waiting = new Set<Waiter>();
  readonly #waitMs: number;

  constructor(waitMs = kWaitMs) {
    this.#waitMs = waitMs;
  }

  /** Resolves with the function that leaves again; rejects with `too_many_queries`. */
  async enter(limit: number): Promise<() => void> {
    if (this.#running >= limit) await this.#wait(limit);
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
    clearTimeout(next.timer);
    next.admit();
  }

  #wait(limit: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiter);
        reject(new AppError('too_many_queries', `${limit} queries run already; try again later`));
      }, this.#waitMs);
      const waiter: Waiter = { admit: resolve, timer };
      this.#waiting.add(waiter);
    });
  }
}
