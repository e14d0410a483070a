/**
 * Slots of one kind for the queries of a server, counted in memory shared by all threads. It
 * counts taken slots and waiting queries, in total and per principal.
 */

/** Principals in the same bucket share one fair share. */
const kBuckets = 256;

// Offsets in a lane: running queries, waiting queries, and both counts per bucket.
const kRunning = 0;
const kWaiting = 1;
const kHeldBy = 2;
const kWaitingBy = kHeldBy + kBuckets;
export const kLaneSize = kWaitingBy + kBuckets;

export interface LaneRoom {
  readonly limit: number;
  /** Slots above the limit for principals that hold none. */
  readonly reserve: number;
}

/** The offsets of a lane's counts: those of all threads, and those of this thread. */
interface LaneAt {
  readonly all: number;
  readonly own: number;
}

/** The bucket of a principal's name. */
export function bucketOf(principal: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < principal.length; at++) {
    hash = Math.imul(hash ^ principal.charCodeAt(at), 0x01000193);
  }
  return ((hash >>> 16) ^ hash) & (kBuckets - 1);
}

export class QueryLane {
  readonly #counts: Int32Array;
  readonly #at: LaneAt;

  constructor(counts: Int32Array, at: LaneAt) {
    this.#counts = counts;
    this.#at = at;
  }

  get running(): number {
    return this.#load(kRunning);
  }

  get waiting(): number {
    return this.#load(kWaiting);
  }

  heldBy(bucket: number): number {
    return this.#load(kHeldBy + bucket);
  }

  /** False if all slots are taken. */
  take(bucket: number, { limit, reserve }: LaneRoom): boolean {
    const { all, own } = this.#at;
    for (;;) {
      const running = this.running;
      if (running >= (this.heldBy(bucket) === 0 ? limit + reserve : limit)) return false;
      if (Atomics.compareExchange(this.#counts, all, running, running + 1) === running) {
        Atomics.add(this.#counts, own, 1);
        this.#add(kHeldBy + bucket, 1);
        return true;
      }
    }
  }

  leave(bucket: number): void {
    this.#add(kHeldBy + bucket, -1);
    this.#add(kRunning, -1);
  }

  wait(bucket: number): void {
    this.#add(kWaitingBy + bucket, 1);
    this.#add(kWaiting, 1);
  }

  endWaiting(bucket: number): void {
    this.#add(kWaiting, -1);
    this.#add(kWaitingBy + bucket, -1);
  }

  /** The fewest slots of any waiting principal; Infinity if none waits. */
  get fewestHeld(): number {
    if (this.waiting === 0) return Infinity;
    let fewest = Infinity;
    for (let bucket = 0; bucket < kBuckets; bucket++) {
      if (this.#load(kWaitingBy + bucket) > 0) fewest = Math.min(fewest, this.heldBy(bucket));
    }
    return fewest;
  }

  #load(index: number): number {
    return Atomics.load(this.#counts, this.#at.all + index);
  }

  #add(index: number, by: number): void {
    Atomics.add(this.#counts, this.#at.all + index, by);
    Atomics.add(this.#counts, this.#at.own + index, by);
  }
}
