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

/** What all threads know together: queries that run, that wait, and how often one left for them. */
const kRunning = 0;
const kWaiting = 1;
const kLeft = 2;

/** For the gates of all threads of a server. */
export function queryPlaces(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
}

export class QueryGate {
  readonly #places: Int32Array;
  readonly #waiting = new Set<Waiter>();
  readonly #waitMs: number;
  /** Somebody waits for places that other threads leave. */
  #isWatching = false;
  #limit = 0;

  constructor(places = queryPlaces(), waitMs = kWaitMs) {
    this.#places = places;
    this.#waitMs = waitMs;
  }

  /** Whether one would enter at once. */
  isOpen(limit: number): boolean {
    return Atomics.load(this.#places, kRunning) < limit;
  }

  /**
   * Resolves with the function that leaves again. Rejects with `too_many_queries`, and with what
   * ends the query while it waits; then it waits no longer.
   */
  async enter(limit: number, guard: Guard): Promise<() => void> {
    if (!this.#take(limit)) await this.#wait(limit, guard);
    let isInside = true;
    return () => {
      if (isInside) this.#leave();
      isInside = false;
    };
  }

  #take(limit: number): boolean {
    for (;;) {
      const running = Atomics.load(this.#places, kRunning);
      if (running >= limit) return false;
      if (Atomics.compareExchange(this.#places, kRunning, running, running + 1) === running) {
        return true;
      }
    }
  }

  /** A place that is handed on stays taken. Those of other threads come first. */
  #leave(): void {
    if (Atomics.load(this.#places, kWaiting) > this.#waiting.size) {
      Atomics.sub(this.#places, kRunning, 1);
      Atomics.add(this.#places, kLeft, 1);
      Atomics.notify(this.#places, kLeft);
    } else {
      this.#giveOn();
    }
  }

  /** A place that is taken goes to who waits here, or is free. */
  #giveOn(): void {
    if (!this.#admitNext()) Atomics.sub(this.#places, kRunning, 1);
  }

  /** False where nobody waits here. */
  #admitNext(): boolean {
    const [next] = this.#waiting;
    if (next === undefined) return false;
    this.#endWaiting(next);
    next.isAdmitted = true;
    next.admit();
    return true;
  }

  #endWaiting(waiter: Waiter): void {
    if (this.#waiting.delete(waiter)) Atomics.sub(this.#places, kWaiting, 1);
  }

  /** Takes what other threads leave for as long as somebody waits here. */
  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    while (this.#waiting.size > 0) {
      const left = Atomics.load(this.#places, kLeft);
      if (this.#take(this.#limit)) {
        this.#giveOn();
        continue;
      }
      const change = Atomics.waitAsync(this.#places, kLeft, left, this.#waitMs);
      if (change.async) await change.value;
    }
    this.#isWatching = false;
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
    this.#limit = limit;
    this.#waiting.add(waiter);
    Atomics.add(this.#places, kWaiting, 1);
    // One may have left for nobody, just before this was told.
    if (this.#take(limit)) this.#giveOn();
    void this.#watch();
    try {
      await guard.during(admitted, () => undefined);
    } catch (error) {
      if (waiter.isAdmitted) this.#leave();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#endWaiting(waiter);
    }
  }
}
