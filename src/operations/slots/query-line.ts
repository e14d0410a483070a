/** Runs each query when it has a slot, and releases the slot at its end. */

import { kWaitMs, QueryGate, querySlots, type GateEntry, type QuerySlot } from './query-gate.js';
import { shortAnswer } from './short-answer.js';

import type { Guard } from '../../query/limits/guard.js';
import type { ByteStream } from '../../storage/storage.js';
import type { QueryListing } from './running-queries.js';

/** A query in line, and its reader. */
interface InLine {
  readonly guard: Guard;
  readonly listing: QueryListing;
  /** Maximum concurrent queries. */
  readonly limit: number;
  /** The principal whose share it uses. */
  readonly principal: string;
  /** True for a query that only reads. It may be cancelled and restarted. */
  readonly onlyReads: boolean;
  /**
   * Opens the answer, and calls `leave` once everything is read. A call with another guard is a
   * trial.
   */
  readonly open: (guard: Guard, leave: () => void) => Promise<ByteStream>;
}

interface LineThread {
  readonly index: number;
  /** From querySlots(), shared by all threads. */
  readonly slots: Int32Array;
}

export class QueryLine {
  readonly #gate: QueryGate;

  constructor({ index, slots }: LineThread = { index: 0, slots: querySlots() }) {
    this.#gate = new QueryGate(slots, index);
  }

  /** True if a read-only query would get a slot at once. */
  isOpen(limit: number): boolean {
    return this.#gate.isOpen(limit);
  }

  /**
   * Waits for a slot, which is released once everything is read. If the slot is a short one and
   * the answer is not short, the query waits for another slot.
   */
  async whenItsTurn(query: InLine): Promise<ByteStream> {
    const { guard, listing, open, onlyReads } = query;
    let slot = await this.#enter(query, { takesShort: onlyReads });
    if (slot.isShort) {
      const answer = await shortAnswerOf(query, slot);
      if (answer !== null) return answer;
      listing.waits();
      slot = await this.#enter(query, { takesShort: false });
    }
    const leave = (): void => {
      slot.leave();
      listing.ended();
    };
    try {
      return await open(guard, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #enter(query: InLine, { takesShort }: Pick<GateEntry, 'takesShort'>): Promise<QuerySlot> {
    const { guard, listing, limit, principal } = query;
    const until = performance.now() + kWaitMs;
    const slot = await this.#gate.enter({ limit, principal, takesShort, until }, guard);
    listing.began();
    try {
      // Parsing a long statement takes milliseconds.
      if (guard.mustWait) await guard.breathe();
      return slot;
    } catch (error) {
      slot.leave();
      throw error;
    }
  }
}

/** Null if the answer is not short. */
async function shortAnswerOf(query: InLine, slot: QuerySlot): Promise<ByteStream | null> {
  const { guard, listing, open } = query;
  const leave = (): void => {
    slot.leave();
  };
  try {
    const answer = await shortAnswer(guard, (within) => open(within, leave));
    if (answer !== null) listing.ended();
    return answer;
  } finally {
    leave();
  }
}
