/**
 * How many connections may be open, on all listeners together, so that descriptors are left for the
 * files of the database. Without it a flood of idle connections takes the last one: flushes fail,
 * and the listening socket is ready for ever with a connection that cannot be accepted.
 *
 * A connection beyond the number is accepted and closed at once, which the reserve makes possible.
 * Those that are open are never cut for it.
 */

import { AppError } from '../../errors/app-error.js';

import type { ConnectionShare } from './transport.js';

/** Kept for files: the log, a flush with its segments, queries, and what accepts a connection. */
export const reservedDescriptors = 48;
/** Of the reserve, so many connections may be the operator's, however many others are open. */
const kOperatorConnections = 4;
/** A server that can hold fewer connections is of no use. */
const kLeastConnections = 16;
/** A new count of the descriptors is asked for no sooner. */
const kRecountMs = 1_000;

interface GateOptions {
  /** Most descriptors that may be open; null: nobody knows, and every connection is taken. */
  readonly limit: number | null;
  /** How many are open, connections included; null: nobody knows. */
  readonly countDescriptors: () => Promise<number | null>;
  /** A connection is refused, after one that was taken. */
  readonly onFull: (reason: string) => void;
  /** There is room again; so many were refused meanwhile. */
  readonly onRoom: (refusedCount: number) => void;
}

/** Rejects with `too_few_descriptors` when the limit leaves no room to work in. */
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
  #room = Infinity;
  #openCount = 0;
  #refusedCount = 0;
  #refusedTotal = 0;
  #recountedAt = 0;
  /** How many were open since a count began; null while nobody counts. */
  #openMeanwhile: { least: number; most: number } | null = null;
  readonly everybody: ConnectionShare = this.#share(0);
  readonly operator: ConnectionShare = this.#share(kOperatorConnections);

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Most connections that may be open now. */
  get room(): number {
    return this.#room;
  }

  /** How many were refused since the start. */
  get refusedTotal(): number {
    return this.#refusedTotal;
  }

  /** Null while connections are taken. */
  get reason(): string | null {
    if (this.#refusedCount === 0) return null;
    return (
      `new connections are refused: ${this.#openCount} are open, and the rest of the ` +
      `${this.#options.limit ?? 0} descriptors (ulimit -n) is kept for files`
    );
  }

  /**
   * Files come and go, too. Nobody knows which of the connections that come or go meanwhile were
   * counted, so the room stays what it was as far as any number of them explains the count.
   */
  async recount(): Promise<void> {
    const { limit, countDescriptors } = this.#options;
    if (limit === null || this.#openMeanwhile !== null) return;
    this.#recountedAt = performance.now();
    const meanwhile = { least: this.#openCount, most: this.#openCount };
    this.#openMeanwhile = meanwhile;
    const count = await countDescriptors();
    this.#openMeanwhile = null;
    if (count === null) return;
    const roomBeside = (openCount: number): number =>
      limit - (count - openCount) - reservedDescriptors;
    const most = Math.min(this.#room, roomBeside(meanwhile.most));
    this.#room = Math.max(most, roomBeside(meanwhile.least));
  }

  #change(by: 1 | -1): void {
    this.#openCount += by;
    const meanwhile = this.#openMeanwhile;
    if (meanwhile === null) return;
    meanwhile.least = Math.min(meanwhile.least, this.#openCount);
    meanwhile.most = Math.max(meanwhile.most, this.#openCount);
  }

  /** Its first `ownCount` connections are always taken. */
  #share(ownCount: number): ConnectionShare {
    let openCount = 0;
    return {
      open: () => {
        this.#recountIfNear();
        if (openCount >= ownCount && this.#openCount >= this.#room) {
          this.#refuse();
          return false;
        }
        openCount += 1;
        this.#change(1);
        return true;
      },
      close: () => {
        openCount -= 1;
        this.#change(-1);
        this.#endRefusals();
      },
    };
  }

  /** Far from the limit, files cannot matter. */
  #recountIfNear(): void {
    if (this.#openCount * 2 < this.#room) return;
    if (performance.now() - this.#recountedAt > kRecountMs) void this.recount();
  }

  #refuse(): void {
    this.#refusedTotal += 1;
    this.#refusedCount += 1;
    if (this.#refusedCount === 1) this.#options.onFull(this.reason ?? '');
  }

  /** Not at the first that leaves, or every other connection would be news. */
  #endRefusals(): void {
    if (this.#refusedCount === 0 || this.#openCount > this.#room * 0.75) return;
    const refused = this.#refusedCount;
    this.#refusedCount = 0;
    this.#options.onRoom(refused);
  }
}
