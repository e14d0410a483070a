/**
 * Turns of the event loop, shared by all incoming bodies. One thread reads every connection, so
 * work on bodies has a budget per turn. When the budget is used up, bodies copy their lent bytes,
 * reading stops, and all bodies queue. In later turns, the first bodies in the queue work for a
 * share each. A body with nothing queued is read again.
 */

import { Chain, type Link } from '../../common/model/chain.js';

export type TurnFlow = 'open' | 'held';

/** A participant of turns. Neither method throws, and both are idempotent. */
export interface TurnWork {
  /** Works on queued bytes for about `ms`; true while more is queued. */
  work(ms: number): boolean;
  /** Allows or forbids input. */
  setFlow(flow: TurnFlow): void;
}

type Crowd = 'lasts' | 'over';

interface TurnOptions {
  /** Work budget of one turn in milliseconds; the last step may exceed it. */
  readonly turnMs?: number;
  /** Share of one body before the next one's turn. */
  readonly shareMs?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Called periodically during a crowd, since others join it, and once at its end. */
  readonly onCrowd?: (crowd: Crowd) => void;
  /** Calls back in the next turn of the event loop, after its sockets were read. */
  readonly nextTurn?: (callback: () => void) => void;
}

/**
 * The part of a turn that counts for the next turn: the callback takes longer than a small body.
 */
const kCarriedPart = 1 / 4;
/** A crowd: a turn was used up while more than this many bodies were incoming. */
const kCrowd = 8;
/** Minimum time between two reports of a crowd. */
const kCrowdToldMs = 50;

export class Turns {
  readonly #turnMs: number;
  readonly #shareMs: number;
  readonly #nextTurn: (callback: () => void) => void;
  readonly #onCrowd: (crowd: Crowd) => void;
  readonly now: () => number;
  #spentMs = 0;
  #isAwaited = false;
  readonly #readers = new Chain<TurnLane>();
  readonly #waiting: TurnLane[] = [];
  #laneCount = 0;
  /** Null while there is no crowd. */
  #crowdToldAt: number | null = null;

  constructor({
    turnMs = 2,
    shareMs = turnMs / 4,
    now = () => performance.now(),
    onCrowd = () => undefined,
    nextTurn = (callback) => {
      setImmediate(callback);
    },
  }: TurnOptions = {}) {
    this.#turnMs = turnMs;
    this.#shareMs = shareMs;
    this.#nextTurn = nextTurn;
    this.#onCrowd = onCrowd;
    this.now = now;
  }

  /** Allows input, unless this turn is used up. */
  enter(work: TurnWork): TurnLane {
    const lane = new TurnLane(this, work);
    this.#laneCount += 1;
    this.#readers.add(lane);
    if (this.#leftMs() === 0) this.#hold(lane);
    return lane;
  }

  /** Only Lane calls this. */
  run(lane: TurnLane, job: (ms: number) => boolean): void {
    lane.hasRun = true;
    this.#measure(lane, job, lane.hasWork ? 0 : this.#leftMs());
    if (lane.isGone) return;
    if (lane.hasWork) this.#hold(lane);
    if (this.#leftMs() > 0) return;
    this.#holdAll();
    this.#tellOfCrowd();
  }

  /** Only Lane calls this. */
  forget(lane: TurnLane): void {
    this.#readers.delete(lane);
    this.#laneCount -= 1;
    if (this.#crowdToldAt === null || this.#laneCount > kCrowd / 2) return;
    this.#crowdToldAt = null;
    this.#onCrowd('over');
  }

  #leftMs(): number {
    return Math.max(0, this.#turnMs - this.#spentMs);
  }

  #measure(lane: TurnLane, job: (ms: number) => boolean, ms: number): void {
    const startedAt = this.now();
    try {
      lane.hasWork = job(ms);
    } finally {
      this.#spentMs += this.now() - startedAt;
      if (this.#spentMs > this.#turnMs * kCarriedPart) this.#await();
    }
  }

  #await(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    this.#nextTurn(() => {
      this.#isAwaited = false;
      this.#turn();
    });
  }

  #turn(): void {
    this.#spentMs = 0;
    // The expected work of bodies that are read from now on.
    let promisedMs = 0;
    while (this.#spentMs + promisedMs < this.#turnMs) {
      const lane = this.#waiting.shift();
      if (lane === undefined) return;
      if (lane.isGone) continue;
      if (lane.hasWork) {
        this.#measure(lane, (ms) => lane.work.work(ms), Math.min(this.#shareMs, this.#leftMs()));
        this.#waiting.push(lane);
      } else {
        this.#read(lane);
        promisedMs += this.#shareMs;
      }
    }
    if (this.#waiting.length > 0) this.#await();
  }

  #tellOfCrowd(): void {
    if (this.#laneCount <= kCrowd) return;
    const now = this.now();
    if (this.#crowdToldAt !== null && now - this.#crowdToldAt < kCrowdToldMs) return;
    this.#crowdToldAt = now;
    this.#onCrowd('lasts');
  }

  #read(lane: TurnLane): void {
    lane.hasRun = false;
    this.#readers.add(lane);
    lane.work.setFlow('open');
  }

  /** Moves the lane to the end of the queue. */
  #hold(lane: TurnLane): void {
    if (!this.#readers.delete(lane)) return;
    this.#waiting.push(lane);
    lane.work.setFlow('held');
    this.#await();
  }

  /** Lanes that were allowed but not read keep their place in the queue. */
  #holdAll(): void {
    const missed = [...this.#readers].filter((lane) => !lane.hasRun);
    this.#waiting.unshift(...missed);
    for (const lane of missed) {
      this.#readers.delete(lane);
      lane.work.setFlow('held');
    }
    for (const lane of this.#readers) this.#hold(lane);
  }
}

/** The place of one body among the others. */
export class TurnLane implements Link<TurnLane> {
  before: TurnLane | null = null;
  after: TurnLane | null = null;
  /** Work is queued. */
  hasWork = false;
  /** Input is allowed. */
  hasRun = true;
  isGone = false;
  readonly work: TurnWork;
  readonly #turns: Turns;

  constructor(turns: Turns, work: TurnWork) {
    this.#turns = turns;
    this.work = work;
  }

  /**
   * Runs a job on new bytes, with its time limit in milliseconds. With 0 the job only keeps the
   * bytes lent to it. The job returns true if bytes are queued; `hasWork` stores that. Throws the
   * job's error.
   */
  run(job: (ms: number) => boolean): void {
    if (!this.isGone) this.#turns.run(this, job);
  }

  /** Takes no more turns. Idempotent. */
  leave(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.#turns.forget(this);
  }
}
