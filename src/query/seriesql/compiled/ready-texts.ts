/**
 * Keeps queries prepared in the addon, so that the next similar one needs no stream. A query asked
 * once is not prepared: preparing costs as much as an answer.
 */

import type { PreparedTexts, ShortTexts, TextQuery } from '../../../storage/storage.js';
import type { OutputColumn } from '../plan/plan.js';
import type { LayoutOf } from '../execute/compiled-engine.js';

/** A query is prepared once it was asked this often. */
const kAskedMin = 2;
/** The longest pause after long answers: so many queries skip the fast path. */
const kPauseMax = 63;

export type ShortRead = Parameters<PreparedTexts['answer']>[0];

interface Ready {
  readonly columns: readonly OutputColumn[];
  readonly texts: ShortTexts;
}

interface Preparing {
  prepareTexts(query: TextQuery): PreparedTexts;
}

/** The state of a query in one layout. */
interface KnownTexts {
  askedCount: number;
  ready: { readonly columns: readonly OutputColumn[]; readonly texts: PreparedTexts } | null;
  /**
   * `pause`: the queries to skip after the last miss; 0 after a hit. `left`: those still to skip.
   */
  pause: number;
  left: number;
}

/** The prepared texts of one plan, and of plans that differ only in their reads. */
export class ReadyTexts {
  readonly #known = new Map<LayoutOf, KnownTexts>();
  readonly #storage: Preparing;

  constructor(storage: Preparing) {
    this.#storage = storage;
  }

  /**
   * Null if the query is not prepared in this layout, `read` gives null, or the answer is not
   * short.
   */
  answer(layoutOf: LayoutOf, read: () => ShortRead | null): Ready | null {
    const known = this.#of(layoutOf);
    known.askedCount += 1;
    if (known.ready === null) return null;
    if (known.left > 0) {
      known.left -= 1;
      return null;
    }
    const asked = read();
    const texts = asked === null ? null : known.ready.texts.answer(asked);
    // A miss wastes part of an answer, so repeated misses lengthen the pause.
    known.pause = texts === null ? Math.min(2 * known.pause + 1, kPauseMax) : 0;
    known.left = known.pause;
    return texts === null ? null : { columns: known.ready.columns, texts };
  }

  /** Notes that a stream ran the query. The index must choose its series. */
  noteAsked(layoutOf: LayoutOf, query: TextQuery, columns: readonly OutputColumn[]): void {
    const known = this.#of(layoutOf);
    // Prepare it only if callers tried answer(). Reads of past states never do.
    if (known.ready !== null || known.askedCount < kAskedMin) return;
    known.ready = { columns, texts: this.#storage.prepareTexts(query) };
  }

  #of(layoutOf: LayoutOf): KnownTexts {
    const known = this.#known.get(layoutOf);
    if (known !== undefined) return known;
    const made = { askedCount: 0, ready: null, pause: 0, left: 0 };
    this.#known.set(layoutOf, made);
    return made;
  }
}
