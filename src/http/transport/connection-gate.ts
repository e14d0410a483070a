/**
 * Limits open connections over all listeners, so that descriptors remain for database files.
 * Without the limit, a flood of idle connections takes every descriptor. Then flushes fail, and the
 * event loop spins on a connection that cannot be accepted.
 *
 * A connection beyond the limit is accepted and closed at once, with a reserved descriptor. Open
 * connections are never cut for a new one.
 */

import { AppError } from '../../common/errors/app-error.js';

import type { ConnectionShare } from './transport.js';

/** Reserved for files: the WAL, a flush with its segments, queries, and accepting a connection. */
export const reservedDescriptors = 48;
/** The operator may always use this many reserved descriptors. */
const kOperatorConnections = 4;
/** A server with fewer connections is useless. */
const kLeastConnections = 16;
/** Minimum time between two counts of descriptors. */
const kRecountMs = 1_000;

/** Counts since the start, shared by all threads, at these indexes. */
const kOpened = 0;
const kClosed = 1;
const kRoom = 2;
const kRefused = 3;
/** Like kRefused, but reset when connections are accepted again. */
const kRefusedNow = 4;
/** From here on, one count per thread: open connections that the thread accepted. */
const kOpenOf = 5;
/** The maximum of the setting `listeners`. */
const kThreadsMax = 64;
/** The limit is unknown. */
const kBoundless = 2 ** 31 - 1;

/** For the gates of all threads of a process. */
function connectionCounts(): Int32Array {
  const counts = new Int32Array(
    new SharedArrayBuffer((kOpenOf + kThreadsMax) * Int32Array.BYTES_PER_ELEMENT),
  );
  counts[kRoom] = kBoundless;
  return counts;
}

export interface GateOptions {
  /** From connectionCounts(); absent if this is the only gate. */
  readonly counts?: Int32Array;
  /** The thread index of this gate; 0 if absent. */
  readonly thread?: number;
  /** Maximum open descriptors; null: unknown, and every connection is accepted. */
  readonly limit: number | null;
  /** Descriptors that are not connections of the gate, in addition to `reservedDescriptors`. */
  readonly alsoReserved?: number;
  /** The number of open descriptors, including connections; null: unknown. */
  readonly countDescriptors: () => Promise<number | null>;
  /** Called at the first refusal after accepted connections. */
  readonly onFull: (reason: string) => void;
  /** Called when there is room again. `count` is the number of refusals meanwhile. */
  readonly onRoom: (refusedCount: number) => void;
}

/** Rejects with `too_few_descriptors` if the limit is too low to work. */
export async function openConnectionGate(options: GateOptions): Promise<ConnectionGate> {
  const gate = new ConnectionGate(options);
  await gate.recount();
  const { limit } = options;
  if (limit !== null && gate.room < kLeastConnections) {
    const needed = limit - gate.room + kLeastConnections;
    const message =
      `only ${limit} files and sockets may be open at a time, and the server needs ${needed}; ` +
      'raise the limit with ulimit -n';
    throw new AppError('too_few_descriptors', message);
  }
  return gate;
}

export class ConnectionGate {
  readonly #options: GateOptions;
  readonly #counts: Int32Array;
  #recountedAt = 0;
  #isCounting = false;
  readonly everybody: ConnectionShare = this.#share(0);
  readonly operator: ConnectionShare = this.#share(kOperatorConnections);

  constructor(options: GateOptions) {
    this.#options = options;
    this.#counts = options.counts ?? connectionCounts();
  }

  /** Options for the gates of other threads. */
  get shared(): Pick<Required<GateOptions>, 'counts' | 'limit' | 'alsoReserved'> {
    const { limit, alsoReserved = 0 } = this.#options;
    return { counts: this.#counts, limit, alsoReserved };
  }

  /** The most connections that may be open now. */
  get room(): number {
    return Atomics.load(this.#counts, kRoom);
  }

  /** Refused connections since the start. */
  get refusedTotal(): number {
    return Atomics.load(this.#counts, kRefused) >>> 0;
  }

  get #openCount(): number {
    return (Atomics.load(this.#counts, kOpened) - Atomics.load(this.#counts, kClosed)) | 0;
  }

  get #ownAt(): number {
    return kOpenOf + (this.#options.thread ?? 0);
  }

  /** Null while connections are accepted. */
  get reason(): string | null {
    if (Atomics.load(this.#counts, kRefusedNow) === 0) return null;
    return (
      `new connections are refused: ${this.#openCount} are open, and the rest of the ` +
      `${this.#options.limit ?? 0} descriptors (ulimit -n) is reserved for files`
    );
  }

  /**
   * Counts descriptors again, since the number of open files changes. Connections may open or close
   * during the count. The room stays unchanged if some number of them explains the count.
   */
  async recount(): Promise<void> {
    const { limit, alsoReserved = 0, countDescriptors } = this.#options;
    if (limit === null || this.#isCounting) return;
    this.#recountedAt = performance.now();
    this.#isCounting = true;
    const opened = Atomics.load(this.#counts, kOpened);
    const closed = Atomics.load(this.#counts, kClosed);
    const count = await countDescriptors();
    this.#isCounting = false;
    if (count === null) return;
    const openBefore = (opened - closed) | 0;
    const most = openBefore + ((Atomics.load(this.#counts, kOpened) - opened) | 0);
    const least = openBefore - ((Atomics.load(this.#counts, kClosed) - closed) | 0);
    const roomBeside = (openCount: number): number =>
      limit - (count - openCount) - reservedDescriptors - alsoReserved;
    const room = Math.max(Math.min(this.room, roomBeside(most)), roomBeside(least));
    Atomics.store(this.#counts, kRoom, Math.min(room, kBoundless));
  }

  /** A thread ended, and its connections with it. */
  forget(thread: number): void {
    Atomics.add(this.#counts, kClosed, Atomics.exchange(this.#counts, kOpenOf + thread, 0));
    this.#endRefusals();
  }

  /** The first `ownCount` connections of a share are always accepted. */
  #share(ownCount: number): ConnectionShare {
    let openCount = 0;
    return {
      open: () => {
        this.#recountIfNear();
        if (openCount >= ownCount && this.#openCount >= this.room) {
          this.#refuse();
          return false;
        }
        openCount += 1;
        Atomics.add(this.#counts, kOpened, 1);
        Atomics.add(this.#counts, this.#ownAt, 1);
        return true;
      },
      close: () => {
        openCount -= 1;
        Atomics.add(this.#counts, kClosed, 1);
        Atomics.sub(this.#counts, this.#ownAt, 1);
        this.#endRefusals();
      },
    };
  }

  /** Far from the limit, open files do not matter. */
  #recountIfNear(): void {
    if (this.#openCount * 2 < this.room) return;
    if (performance.now() - this.#recountedAt > kRecountMs) void this.recount();
  }

  #refuse(): void {
    Atomics.add(this.#counts, kRefused, 1);
    const isFirst = Atomics.add(this.#counts, kRefusedNow, 1) === 0;
    if (isFirst) this.#options.onFull(this.reason ?? '');
  }

  /**
   * Waits for some room. After the first closed connection alone, reports would alternate with each
   * connection.
   */
  #endRefusals(): void {
    if (Atomics.load(this.#counts, kRefusedNow) === 0) return;
    if (this.#openCount > this.room * 0.75) return;
    const refused = Atomics.exchange(this.#counts, kRefusedNow, 0);
    if (refused > 0) this.#options.onRoom(refused);
  }
}
