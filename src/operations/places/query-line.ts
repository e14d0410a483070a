/** The line of queries: each runs when it has a place, and releases it at its end. */

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
  /** It may be cancelled and restarted. */
  readonly onlyReads: boolean;
  /** Calls `leave` when everything is read. With another guard it is a trial. */
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

  /** Whether a read-only query would get a place at once. */
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
    try {
      // To parse a long statement takes milliseconds.
      if (guard.mustWait) await guard.breathe();
      return place;
    } catch (error) {
      place.leave();
      throw error;
    }
  }
}

/** Null if it is not short. */
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
