/** Runs each query when it has a place, and releases the place at its end. */

import { kWaitMs, QueryGate, queryPlaces, type Entry, type Place } from './query-gate.js';
import { shortAnswer } from './short-answer.js';

import type { Guard } from '../../query/limits/guard.js';
import type { ByteStream } from '../../storage/storage.js';
import type { Listing } from './running-queries.js';

/** A query in line, and its reader. */
interface InLine {
  readonly guard: Guard;
  readonly listing: Listing;
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
  /** From queryPlaces(), shared by all threads. */
  readonly places: Int32Array;
}

export class QueryLine {
  readonly #gate: QueryGate;

  constructor({ index, places }: LineThread = { index: 0, places: queryPlaces() }) {
    this.#gate = new QueryGate(places, index);
  }

  /** True if a read-only query would get a place at once. */
  isOpen(limit: number): boolean {
    return this.#gate.isOpen(limit);
  }

  /**
   * Waits for a place, which is released once everything is read. If the place is a short one and
   * the answer is not short, the query waits for another place.
   */
  async whenItsTurn(query: InLine): Promise<ByteStream> {
    const { guard, listing, open, onlyReads } = query;
    let place = await this.#enter(query, { takesShort: onlyReads });
    if (place.isShort) {
      const answer = await shortAnswerOf(query, place);
      if (answer !== null) return answer;
      listing.waits();
      place = await this.#enter(query, { takesShort: false });
    }
    const leave = (): void => {
      place.leave();
      listing.ended();
    };
    try {
      return await open(guard, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #enter(query: InLine, { takesShort }: Pick<Entry, 'takesShort'>): Promise<Place> {
    const { guard, listing, limit, principal } = query;
    const until = performance.now() + kWaitMs;
    const place = await this.#gate.enter({ limit, principal, takesShort, until }, guard);
    listing.began();
    try {
      // Parsing a long statement takes milliseconds.
      if (guard.mustWait) await guard.breathe();
      return place;
    } catch (error) {
      place.leave();
      throw error;
    }
  }
}

/** Null if the answer is not short. */
async function shortAnswerOf(query: InLine, place: Place): Promise<ByteStream | null> {
  const { guard, listing, open } = query;
  const leave = (): void => {
    place.leave();
  };
  try {
    const answer = await shortAnswer(guard, (within) => open(within, leave));
    if (answer !== null) listing.ended();
    return answer;
  } finally {
    leave();
  }
}
