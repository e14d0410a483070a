/** The line of the queries: each is read when it has a place, which it gives back at its end. */

import { kWaitMs, QueryGate, queryPlaces, type Entry, type Place } from './query-gate.js';
import { shortAnswer } from './short-answer.js';

import type { Guard } from '../../seriesql/execute/guard.js';
import type { ByteStream } from '../../storage/storage.js';
import type { Listing } from './running-queries.js';

/** A query in line, and what reads it when it has a place. */
interface InLine {
  readonly guard: Guard;
  readonly listing: Listing;
  /** Most queries at a time. */
  readonly limit: number;
  /** Whose share it takes. */
  readonly principal: string;
  /** It may be given up and asked again. */
  readonly onlyReads: boolean;
  /** Calls `leave` when all is read. With another guard than that above it is tried. */
  readonly open: (guard: Guard, leave: () => void) => Promise<ByteStream>;
}

interface LineThread {
  readonly index: number;
  /** Of queryPlaces(), the same for all threads. */
  readonly places: Int32Array;
}

export class QueryLine {
  readonly #gate: QueryGate;

  constructor({ index, places }: LineThread = { index: 0, places: queryPlaces() }) {
    this.#gate = new QueryGate(places, index);
  }

  /** Whether a query that only reads would have a place at once. */
  isOpen(limit: number): boolean {
    return this.#gate.isOpen(limit);
  }

  /**
   * Waits for a place, which is given back when all is read. Where it is a short one, and the
   * answer is not, it waits for another.
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
    return place;
  }
}

/** Null where it is not short. */
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
