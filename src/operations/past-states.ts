/** States that snapshots keep, opened beside the database for who asks as of them. */

import { AppError } from '../errors/app-error.js';

import { checkedSnapshotName } from './maintenance.js';

import type { Storage } from '../storage/storage.js';

/** Each has an index of its own in memory. */
const kOpenMax = 2;
const kIdleMs = 60_000;

/** Rejects with `snapshot_not_found`. */
export type OpenState = (snapshot: string) => Promise<Storage>;

/** What a state is made of for its users. */
type Wrap<Wrapped> = (storage: Storage) => Wrapped;

interface Opened<Wrapped> {
  readonly storage: Promise<Storage>;
  readonly wrapped: Promise<Wrapped>;
  users: number;
  timer: NodeJS.Timeout | null;
}

export interface Lease<Wrapped> {
  readonly state: Wrapped;
  /** Idempotent. */
  readonly release: () => void;
}

export class PastStates<Wrapped> {
  readonly #open: OpenState;
  readonly #wrap: Wrap<Wrapped>;
  readonly #states = new Map<string, Opened<Wrapped>>();
  #isClosed = false;

  constructor(open: OpenState, wrap: Wrap<Wrapped>) {
    this.#open = open;
    this.#wrap = wrap;
  }

  /** Rejects with `invalid_name`, `snapshot_not_found`, `too_many_queries`, `closed`. */
  async lease(given: string): Promise<Lease<Wrapped>> {
    const name = checkedSnapshotName(given);
    const opened = this.#states.get(name) ?? this.#begin(name);
    opened.users += 1;
    if (opened.timer !== null) clearTimeout(opened.timer);
    opened.timer = null;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      opened.users -= 1;
      if (opened.users > 0 || this.#states.get(name) !== opened) return;
      opened.timer = setTimeout(() => void this.forget(name), kIdleMs).unref();
    };
    try {
      return { state: await opened.wrapped, release };
    } catch (error) {
      if (this.#states.get(name) === opened) this.#states.delete(name);
      throw error;
    }
  }

  /** Closes what is open of it; who reads there is told that it is closed. */
  async forget(name: string): Promise<void> {
    const opened = this.#states.get(name);
    if (opened === undefined) return;
    this.#states.delete(name);
    if (opened.timer !== null) clearTimeout(opened.timer);
    const storage = await opened.storage.catch(() => null);
    await storage?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#states.keys()].map((name) => this.forget(name)));
  }

  #begin(name: string): Opened<Wrapped> {
    if (this.#isClosed) throw new AppError('closed', 'the database is closed');
    if (this.#states.size >= kOpenMax) this.#makeRoom();
    const storage = this.#open(name);
    const wrapped = storage.then(this.#wrap);
    const opened = { storage, wrapped, users: 0, timer: null };
    this.#states.set(name, opened);
    return opened;
  }

  #makeRoom(): void {
    const idle = [...this.#states].find(([, { users }]) => users === 0);
    if (idle === undefined) {
      const most = String(kOpenMax);
      throw new AppError('too_many_queries', `queries of ${most} other snapshots run now`);
    }
    void this.forget(idle[0]);
  }
}
