/**
 * Places of one kind for the queries of a server, counted in memory shared by all threads. It
 * counts taken places and waiting queries, in total and per principal.
 */

/** Principals in the same slot share one fair share. */
const kSlots = 256;

// Offsets in a lane: running queries, waiting queries, and both counts per slot.
const kRunning = 0;
const kWaiting = 1;
const kHeldBy = 2;
const kWaitingBy = kHeldBy + kSlots;
export const kLaneSize = kWaitingBy + kSlots;

export interface LaneRoom {
  readonly limit: number;
  /** Places above the limit for principals that hold none. */
  readonly reserve: number;
}

/** The offsets of a lane's counts: those of all threads, and those of this thread. */
interface LaneAt {
  readonly all: number;
  readonly own: number;
}

/** The slot of a principal's name. */
export function slotOf(principal: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < principal.length; at++) {
    hash = Math.imul(hash ^ principal.charCodeAt(at), 0x01000193);
  }
  return ((hash >>> 16) ^ hash) & (kSlots - 1);
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

  heldBy(slot: number): number {
    return this.#load(kHeldBy + slot);
  }

  /** False if all places are taken. */
  take(slot: number, { limit, reserve }: LaneRoom): boolean {
    const { all, own } = this.#at;
    for (;;) {
      const running = this.running;
      if (running >= (this.heldBy(slot) === 0 ? limit + reserve : limit)) return false;
      if (Atomics.compareExchange(this.#counts, all, running, running + 1) === running) {
        Atomics.add(this.#counts, own, 1);
        this.#add(kHeldBy + slot, 1);
        return true;
      }
    }
  }

  leave(slot: number): void {
    this.#add(kHeldBy + slot, -1);
    this.#add(kRunning, -1);
  }

  wait(slot: number): void {
    this.#add(kWaitingBy + slot, 1);
    this.#add(kWaiting, 1);
  }

  endWaiting(slot: number): void {
    this.#add(kWaiting, -1);
    this.#add(kWaitingBy + slot, -1);
  }

  /** The fewest places of any waiting principal; Infinity if none waits. */
  get fewestHeld(): number {
    if (this.waiting === 0) return Infinity;
    let fewest = Infinity;
    for (let slot = 0; slot < kSlots; slot++) {
      if (this.#load(kWaitingBy + slot) > 0) fewest = Math.min(fewest, this.heldBy(slot));
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
