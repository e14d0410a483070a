/** The queries that were asked and have not ended, for those who operate the server. */

import { AppError } from '../errors/app-error.js';

import type { Guard } from '../seriesql/execute/guard.js';

/** Characters of a statement that are shown. */
const kShownMax = 2000;

export interface ListedQuery {
  readonly id: number;
  /** Its beginning, when it is long. */
  readonly statement: string;
  readonly as_of: string | null;
  readonly state: 'waiting' | 'running';
  /** Since it was asked. */
  readonly elapsed_ms: number;
}

/** One of them. Its guard ends it. */
interface ListedWork {
  readonly text: string;
  readonly asOf: string | null;
  readonly guard: Guard;
}

interface Entry extends ListedWork {
  readonly askedAt: number;
  isRunning: boolean;
}

export class RunningQueries {
  readonly #all = new Map<number, Entry>();
  #lastId = 0;

  /** It waits for a place; `began` and `ended` are told once. */
  add(work: ListedWork): { began: () => void; ended: () => void } {
    this.#lastId += 1;
    const id = this.#lastId;
    const entry: Entry = { ...work, askedAt: performance.now(), isRunning: false };
    this.#all.set(id, entry);
    return {
      began: () => {
        entry.isRunning = true;
      },
      ended: () => {
        this.#all.delete(id);
      },
    };
  }

  /** The oldest first. */
  list(): readonly ListedQuery[] {
    const now = performance.now();
    return [...this.#all].map(([id, { text, asOf, askedAt, isRunning }]) => ({
      id,
      statement: text.slice(0, kShownMax),
      as_of: asOf,
      state: isRunning ? 'running' : 'waiting',
      elapsed_ms: Math.round(now - askedAt),
    }));
  }

  /** Who asked is told so. False where none of that number waits or runs. */
  cancel(id: bigint): boolean {
    const entry = this.#all.get(Number(id));
    entry?.guard.cancel(new AppError('query_cancelled', 'an operator ended the query'));
    return entry !== undefined;
  }
}
