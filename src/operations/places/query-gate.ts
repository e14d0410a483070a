/**
 * Limits the number of running queries. Further queries wait for a limited time. A query takes one
 * of `limit` places. If all are taken, a read-only query may take a short place, which it must
 * leave soon. A free place goes to the waiting principal with the fewest places.
 */

import { AppError } from '../../common/errors/app-error.js';

import { kLaneSize, QueryLane, slotOf, type LaneRoom } from './query-lane.js';

import type { Guard } from '../../query/limits/guard.js';

/** The longest wait for a place. */
export const kWaitMs = 2000;

/**
 * The counts of one thread, or of all threads: one lane of places for any query, one lane of short
 * places.
 */
const kRegionSize = 2 * kLaneSize;

/** The shared counts of `threads` threads. The last element counts released places. */
export function queryPlaces(threads = 1): Int32Array {
  const size = (1 + threads) * kRegionSize + 1;
  return new Int32Array(new SharedArrayBuffer(size * Int32Array.BYTES_PER_ELEMENT));
}

const leftAt = (places: Int32Array): number => places.length - 1;

/** Releases the places of a thread that ended without doing so. */
export function freePlaces(places: Int32Array, thread: number): void {
  const own = (1 + thread) * kRegionSize;
  for (let at = 0; at < kRegionSize; at++) {
    Atomics.sub(places, at, Atomics.exchange(places, own + at, 0));
  }
  tellAll(places);
}

function tellAll(places: Int32Array): void {
  Atomics.add(places, leftAt(places), 1);
  Atomics.notify(places, leftAt(places));
}

/** Who requests a place, and which kind. */
export interface Entry {
  readonly limit: number;
  /** A token's name, or an address. */
  readonly principal: string;
  /** True if a short place is enough. */
  readonly takesShort: boolean;
  /** The deadline of the wait, in performance.now(). */
  readonly until: number;
}

export interface Place {
  readonly isShort: boolean;
  /** Idempotent. */
  leave(): void;
}

type LaneName = 'long' | 'short';

class Waiter {
  readonly entry: Entry;
  readonly slot: number;
  readonly place: Promise<Place>;
  admit: (place: Place) => void = () => undefined;
  refuse: (why: AppError) => void = () => undefined;

  constructor(entry: Entry, slot: number) {
    this.entry = entry;
    this.slot = slot;
    this.place = new Promise((resolve, reject) => {
      this.admit = resolve;
      this.refuse = reject;
    });
  }
}

export class QueryGate {
  readonly #places: Int32Array;
  readonly #long: QueryLane;
  readonly #short: QueryLane;
  readonly #waiting = new Set<Waiter>();
  /** True while some query here waits for places of other threads. */
  #isWatching = false;

  /** The index of the thread. */
  constructor(places: Int32Array, index: number) {
    this.#places = places;
    const own = (1 + index) * kRegionSize;
    this.#long = new QueryLane(places, { all: 0, own });
    this.#short = new QueryLane(places, { all: kLaneSize, own: own + kLaneSize });
  }

  /** True if a read-only query would get a place at once. */
  isOpen(limit: number): boolean {
    return this.#long.running < limit || this.#short.running < shortRoom(limit).limit;
  }

  /** Rejects with `too_many_queries`, and with errors that end the query while it waits. */
  async enter(entry: Entry, guard: Guard): Promise<Place> {
    const slot = slotOf(entry.principal);
    if (this.#takeNow(this.#long, slot, longRoom(entry.limit))) return this.#place('long', slot);
    if (entry.takesShort && this.#takeNow(this.#short, slot, shortRoom(entry.limit))) {
      return this.#place('short', slot);
    }
    return this.#wait(entry, slot, guard);
  }

  /**
   * Among principals with equal counts, the longest waiting on a thread comes first. Between
   * threads the order is not kept.
   */
  #takeNow(lane: QueryLane, slot: number, room: LaneRoom): boolean {
    if (lane.waiting > 0 && lane.heldBy(slot) >= lane.fewestHeld) return false;
    return lane.take(slot, room);
  }

  #place(lane: LaneName, slot: number): Place {
    let isInside = true;
    return {
      isShort: lane === 'short',
      leave: () => {
        if (!isInside) return;
        isInside = false;
        this.#lane(lane).leave(slot);
        this.#passOn();
      },
    };
  }

  #lane(name: LaneName): QueryLane {
    return name === 'short' ? this.#short : this.#long;
  }

  /**
   * Offers a free place. If other threads have waiters, it wakes all threads; otherwise it admits
   * waiters here.
   */
  #passOn(): void {
    if (this.#long.waiting > this.#waiting.size) tellAll(this.#places);
    else this.#admitAll();
  }

  #admitAll(): void {
    let isAdmitted = true;
    while (isAdmitted) {
      isAdmitted = this.#admitOne('long') || this.#admitOne('short');
    }
  }

  /**
   * Admits the waiting principal of this thread with the fewest places, unless one of another
   * thread has fewer.
   */
  #admitOne(name: LaneName): boolean {
    const lane = this.#lane(name);
    const isShort = name === 'short';
    let next: Waiter | null = null;
    let held = Infinity;
    for (const waiter of this.#waiting) {
      const holds = lane.heldBy(waiter.slot);
      if ((isShort && !waiter.entry.takesShort) || holds >= held) continue;
      next = waiter;
      held = holds;
    }
    if (next === null || held > lane.fewestHeld) return false;
    const room = isShort ? shortRoom(next.entry.limit) : longRoom(next.entry.limit);
    if (!lane.take(next.slot, room)) return false;
    this.#endWaiting(next);
    next.admit(this.#place(name, next.slot));
    return true;
  }

  #beginWaiting(waiter: Waiter): void {
    this.#waiting.add(waiter);
    this.#long.wait(waiter.slot);
    if (waiter.entry.takesShort) this.#short.wait(waiter.slot);
  }

  /** False if it was no longer waiting. */
  #endWaiting(waiter: Waiter): boolean {
    if (!this.#waiting.delete(waiter)) return false;
    this.#long.endWaiting(waiter.slot);
    if (waiter.entry.takesShort) this.#short.endWaiting(waiter.slot);
    return true;
  }

  /** Listens for places that other threads release, while a query waits here. */
  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    while (this.#waiting.size > 0) {
      const at = leftAt(this.#places);
      const left = Atomics.load(this.#places, at);
      this.#admitAll();
      const change = Atomics.waitAsync(this.#places, at, left, kWaitMs);
      if (change.async) await change.value;
    }
    this.#isWatching = false;
  }

  async #wait(entry: Entry, slot: number, guard: Guard): Promise<Place> {
    const { limit, until } = entry;
    const waiter = new Waiter(entry, slot);
    this.#beginWaiting(waiter);
    const timer = setTimeout(
      () => {
        const message = `${limit} queries are already running; try again later`;
        waiter.refuse(new AppError('too_many_queries', message));
      },
      Math.max(0, until - performance.now()),
    );
    // A place may have been released just before this call.
    void this.#watch();
    try {
      return await guard.during(waiter.place, () => undefined);
    } catch (error) {
      // Passes on a place that arrives too late.
      if (!this.#endWaiting(waiter)) waiter.place.then(leaveAgain, () => undefined);
      this.#passOn();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function leaveAgain(place: Place): void {
  place.leave();
}

/** A principal without a place gets one even if another principal holds all. */
function longRoom(limit: number): LaneRoom {
  return { limit, reserve: Math.ceil(limit / 4) };
}

function shortRoom(limit: number): LaneRoom {
  return { limit: Math.ceil(limit / 2), reserve: 0 };
}
