/**
 * Limits the number of running queries. Further queries wait for a limited time. A query takes one
 * of `limit` slots. If all are taken, a read-only query may take a short slot, which it must
 * leave soon. A free slot goes to the waiting principal with the fewest slots.
 */

import { AppError } from '../../common/errors/app-error.js';

import { kLaneSize, QueryLane, bucketOf, type LaneRoom } from './query-lane.js';

import type { Guard } from '../../query/limits/guard.js';

/** The longest wait for a slot. */
export const kWaitMs = 2000;

/**
 * The counts of one thread, or of all threads: one lane of slots for any query, one lane of short
 * slots.
 */
const kRegionSize = 2 * kLaneSize;

/** The shared counts of `threads` threads. The last element counts released slots. */
export function querySlots(threads = 1): Int32Array {
  const size = (1 + threads) * kRegionSize + 1;
  return new Int32Array(new SharedArrayBuffer(size * Int32Array.BYTES_PER_ELEMENT));
}

const leftAt = (slots: Int32Array): number => slots.length - 1;

/** Releases the slots of a thread that ended without doing so. */
export function freeSlots(slots: Int32Array, thread: number): void {
  const own = (1 + thread) * kRegionSize;
  for (let at = 0; at < kRegionSize; at++) {
    Atomics.sub(slots, at, Atomics.exchange(slots, own + at, 0));
  }
  tellAll(slots);
}

function tellAll(slots: Int32Array): void {
  Atomics.add(slots, leftAt(slots), 1);
  Atomics.notify(slots, leftAt(slots));
}

/** Who requests a slot, and which kind. */
export interface GateEntry {
  readonly limit: number;
  /** A token's name, or an address. */
  readonly principal: string;
  /** True if a short slot is enough. */
  readonly takesShort: boolean;
  /** The deadline of the wait, in performance.now(). */
  readonly until: number;
}

export interface QuerySlot {
  readonly isShort: boolean;
  /** Idempotent. */
  leave(): void;
}

type LaneName = 'long' | 'short';

class Waiter {
  readonly entry: GateEntry;
  readonly bucket: number;
  readonly slot: Promise<QuerySlot>;
  admit: (slot: QuerySlot) => void = () => undefined;
  refuse: (why: AppError) => void = () => undefined;

  constructor(entry: GateEntry, bucket: number) {
    this.entry = entry;
    this.bucket = bucket;
    this.slot = new Promise((resolve, reject) => {
      this.admit = resolve;
      this.refuse = reject;
    });
  }
}

export class QueryGate {
  readonly #slots: Int32Array;
  readonly #long: QueryLane;
  readonly #short: QueryLane;
  readonly #waiting = new Set<Waiter>();
  /** True while some query here waits for slots of other threads. */
  #isWatching = false;

  /** The index of the thread. */
  constructor(slots: Int32Array, index: number) {
    this.#slots = slots;
    const own = (1 + index) * kRegionSize;
    this.#long = new QueryLane(slots, { all: 0, own });
    this.#short = new QueryLane(slots, { all: kLaneSize, own: own + kLaneSize });
  }

  /** True if a read-only query would get a slot at once. */
  isOpen(limit: number): boolean {
    return this.#long.running < limit || this.#short.running < shortRoom(limit).limit;
  }

  /** Rejects with `too_many_queries`, and with errors that end the query while it waits. */
  async enter(entry: GateEntry, guard: Guard): Promise<QuerySlot> {
    const bucket = bucketOf(entry.principal);
    if (this.#takeNow(this.#long, bucket, longRoom(entry.limit))) return this.#slot('long', bucket);
    if (entry.takesShort && this.#takeNow(this.#short, bucket, shortRoom(entry.limit))) {
      return this.#slot('short', bucket);
    }
    return this.#wait(entry, bucket, guard);
  }

  /**
   * Among principals with equal counts, the longest waiting on a thread comes first. Between
   * threads the order is not kept.
   */
  #takeNow(lane: QueryLane, bucket: number, room: LaneRoom): boolean {
    if (lane.waiting > 0 && lane.heldBy(bucket) >= lane.fewestHeld) return false;
    return lane.take(bucket, room);
  }

  #slot(lane: LaneName, bucket: number): QuerySlot {
    let isInside = true;
    return {
      isShort: lane === 'short',
      leave: () => {
        if (!isInside) return;
        isInside = false;
        this.#lane(lane).leave(bucket);
        this.#passOn();
      },
    };
  }

  #lane(name: LaneName): QueryLane {
    return name === 'short' ? this.#short : this.#long;
  }

  /**
   * Offers a free slot. If other threads have waiters, it wakes all threads; otherwise it admits
   * waiters here.
   */
  #passOn(): void {
    if (this.#long.waiting > this.#waiting.size) tellAll(this.#slots);
    else this.#admitAll();
  }

  #admitAll(): void {
    let isAdmitted = true;
    while (isAdmitted) {
      isAdmitted = this.#admitOne('long') || this.#admitOne('short');
    }
  }

  /**
   * Admits the waiting principal of this thread with the fewest slots, unless one of another
   * thread has fewer.
   */
  #admitOne(name: LaneName): boolean {
    const lane = this.#lane(name);
    const isShort = name === 'short';
    let next: Waiter | null = null;
    let held = Infinity;
    for (const waiter of this.#waiting) {
      const holds = lane.heldBy(waiter.bucket);
      if ((isShort && !waiter.entry.takesShort) || holds >= held) continue;
      next = waiter;
      held = holds;
    }
    if (next === null || held > lane.fewestHeld) return false;
    const room = isShort ? shortRoom(next.entry.limit) : longRoom(next.entry.limit);
    if (!lane.take(next.bucket, room)) return false;
    this.#endWaiting(next);
    next.admit(this.#slot(name, next.bucket));
    return true;
  }

  #beginWaiting(waiter: Waiter): void {
    this.#waiting.add(waiter);
    this.#long.wait(waiter.bucket);
    if (waiter.entry.takesShort) this.#short.wait(waiter.bucket);
  }

  /** False if it was no longer waiting. */
  #endWaiting(waiter: Waiter): boolean {
    if (!this.#waiting.delete(waiter)) return false;
    this.#long.endWaiting(waiter.bucket);
    if (waiter.entry.takesShort) this.#short.endWaiting(waiter.bucket);
    return true;
  }

  /** Listens for slots that other threads release, while a query waits here. */
  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    while (this.#waiting.size > 0) {
      const at = leftAt(this.#slots);
      const left = Atomics.load(this.#slots, at);
      this.#admitAll();
      const change = Atomics.waitAsync(this.#slots, at, left, kWaitMs);
      if (change.async) await change.value;
    }
    this.#isWatching = false;
  }

  async #wait(entry: GateEntry, bucket: number, guard: Guard): Promise<QuerySlot> {
    const { limit, until } = entry;
    const waiter = new Waiter(entry, bucket);
    this.#beginWaiting(waiter);
    const timer = setTimeout(
      () => {
        const message = `${limit} queries are already running; try again later`;
        waiter.refuse(new AppError('too_many_queries', message));
      },
      Math.max(0, until - performance.now()),
    );
    // A slot may have been released just before this call.
    void this.#watch();
    try {
      return await guard.during(waiter.slot, () => undefined);
    } catch (error) {
      // Passes on a slot that arrives too late.
      if (!this.#endWaiting(waiter)) waiter.slot.then(leaveAgain, () => undefined);
      this.#passOn();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function leaveAgain(slot: QuerySlot): void {
  slot.leave();
}

/** A principal without a slot gets one even if another principal holds all. */
function longRoom(limit: number): LaneRoom {
  return { limit, reserve: Math.ceil(limit / 4) };
}

function shortRoom(limit: number): LaneRoom {
  return { limit: Math.ceil(limit / 2), reserve: 0 };
}
