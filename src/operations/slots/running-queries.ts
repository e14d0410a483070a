/** The list of unfinished queries, for operators. */

import { AppError } from '../../common/errors/app-error.js';
import { beginningOf } from '../../common/model/visible-text.js';

import type { Guard } from '../../query/limits/guard.js';

/** The most characters of a statement in the list. */
const kShownMax = 2000;

export interface ListedQuery {
  readonly id: number;
  /** Cut if it is long. */
  readonly statement: string;
  readonly as_of: string | null;
  readonly state: 'waiting' | 'running';
  /** Milliseconds since the request. */
  readonly elapsed_ms: number;
}

/** A listed query. Its guard can cancel it. */
interface ListedWork {
  readonly text: string;
  readonly asOf: string | null;
  readonly guard: Guard;
}

/** The principal for fair shares: a token's name, or an address. */
export interface QueryAsker {
  principal(): string;
}

/** The entry of a query in the list. */
export interface QueryListing {
  began(): void;
  /** The query waits again. */
  waits(): void;
  /** Releases everything it holds. Idempotent. */
  ended(): void;
}

/** The index and the count of the server's threads. */
export interface ThreadIndex {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

class RunningEntry implements QueryListing {
  readonly id: number;
  readonly work: ListedWork;
  readonly askedAt = performance.now();
  readonly #all: Set<RunningEntry>;
  isRunning = false;

  constructor(id: number, work: ListedWork, all: Set<RunningEntry>) {
    this.id = id;
    this.work = work;
    this.#all = all;
  }

  began(): void {
    this.isRunning = true;
  }

  waits(): void {
    this.isRunning = false;
  }

  ended(): void {
    this.#all.delete(this);
    this.work.guard.end();
  }
}

export class RunningQueries {
  readonly #all = new Set<RunningEntry>();
  readonly #thread: ThreadIndex;
  #count = 0;

  constructor(thread: ThreadIndex = { index: 0, count: 1 }) {
    this.#thread = thread;
  }

  /** Adds a waiting query. No other thread uses its number. */
  add(work: ListedWork): QueryListing {
    const id = this.#count * this.#thread.count + this.#thread.index + 1;
    this.#count += 1;
    const entry = new RunningEntry(id, work, this.#all);
    this.#all.add(entry);
    return entry;
  }

  /** Oldest first. */
  list(): readonly ListedQuery[] {
    const now = performance.now();
    return [...this.#all].map(({ id, work, askedAt, isRunning }) => ({
      id,
      statement: beginningOf(work.text, kShownMax),
      as_of: work.asOf,
      state: isRunning ? 'running' : 'waiting',
      elapsed_ms: Math.round(now - askedAt),
    }));
  }

  /** The client gets an error. False if no query has that number. */
  cancel(id: bigint): boolean {
    const entry = [...this.#all].find((one) => BigInt(one.id) === id);
    entry?.work.guard.cancel(new AppError('query_cancelled', 'an operator cancelled the query'));
    return entry !== undefined;
  }
}
