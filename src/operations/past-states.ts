/** Past states, opened in addition to the database for `as_of` requests. */

import { AppError } from '../common/errors/app-error.js';

import type { PastState } from '../common/model/past-state.js';
import type { Storage } from '../storage/storage.js';

/** The most open states per thread. Each has an index in memory; threads share it per state. */
const kOpenMax = 2;
/** The idle time before a state is closed. Related requests of a page find it open. */
const kKeepMs = 2_000;

/**
 * Rejects with `snapshot_not_found`, `state_not_found`, or `query_limit_exceeded` for lack of
 * memory.
 */
export type OpenState = (past: PastState) => Promise<Storage>;

/** Creates the object that users of a state need. */
type Wrap<Wrapped> = (storage: Storage) => Wrapped;

interface OpenedState<Wrapped> {
  readonly past: PastState;
  readonly storage: Promise<Storage>;
  readonly wrapped: Promise<Wrapped>;
  users: number;
  timer: NodeJS.Timeout | null;
}

interface Lease<Wrapped> {
  readonly state: Wrapped;
  /** Idempotent. */
  readonly release: () => void;
}

export class PastStates<Wrapped> {
  readonly #open: OpenState;
  readonly #wrap: Wrap<Wrapped>;
  readonly #states = new Map<string, OpenedState<Wrapped>>();
  #isClosed = false;

  constructor(open: OpenState, wrap: Wrap<Wrapped>) {
    this.#open = open;
    this.#wrap = wrap;
  }

  /** Rejects as `OpenState`, and with `too_many_queries`, `closed`. */
  async lease(past: PastState): Promise<Lease<Wrapped>> {
    const key = keyOf(past);
    const opened = this.#states.get(key) ?? this.#begin(key, past);
    opened.users += 1;
    if (opened.timer !== null) clearTimeout(opened.timer);
    opened.timer = null;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      opened.users -= 1;
      if (opened.users > 0 || this.#states.get(key) !== opened) return;
      opened.timer = setTimeout(() => void this.#end(key), kKeepMs).unref();
    };
    try {
      return { state: await opened.wrapped, release };
    } catch (error) {
      if (this.#states.get(key) === opened) this.#states.delete(key);
      throw error;
    }
  }

  /** Closes the open states of a snapshot; readers get the error `closed`. */
  async forget(name: string): Promise<void> {
    const open = [...this.#states].filter(([, { past }]) => past.snapshot === name);
    await Promise.all(open.map(([key]) => this.#end(key)));
  }

  async #end(key: string): Promise<void> {
    const opened = this.#states.get(key);
    if (opened === undefined) return;
    this.#states.delete(key);
    if (opened.timer !== null) clearTimeout(opened.timer);
    const storage = await opened.storage.catch(() => null);
    await storage?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#states.keys()].map((key) => this.#end(key)));
  }

  #begin(key: string, past: PastState): OpenedState<Wrapped> {
    if (this.#isClosed) throw new AppError('closed', 'the database is closed');
    if (this.#states.size >= kOpenMax) this.#makeRoom();
    const storage = this.#open(past);
    const wrapped = storage.then(this.#wrap);
    const opened = { past, storage, wrapped, users: 0, timer: null };
    this.#states.set(key, opened);
    return opened;
  }

  #makeRoom(): void {
    const idle = [...this.#states].find(([, { users }]) => users === 0);
    if (idle === undefined) {
      const most = String(kOpenMax);
      throw new AppError('too_many_queries', `queries of ${most} other past states are running`);
    }
    void this.#end(idle[0]);
  }
}

function keyOf({ snapshot, edit, timeMs }: PastState): string {
  return [snapshot ?? '', edit ?? '', timeMs ?? ''].map(String).join('|');
}
