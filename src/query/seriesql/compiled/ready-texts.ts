/**
 * Queries that the addon has read, so that the next one like them is answered at once, without the
 * way of a stream. What is asked once is not kept ready: to read it costs as much as an answer.
 */

import type { PreparedTexts, ShortTexts, TextQuery } from '../../../storage/storage.js';
import type { OutputColumn } from '../plan/plan.js';
import type { LayoutOf } from '../execute/compiled-engine.js';

/** Asked that often, a query is kept ready. */
const kAskedMin = 2;
/** After answers that were long, most of those that go by without being tried. */
const kPauseMax = 63;

export type ShortRead = Parameters<PreparedTexts['answer']>[0];

interface Ready {
  readonly columns: readonly OutputColumn[];
  readonly texts: ShortTexts;
}

interface Preparing {
  prepareTexts(query: TextQuery): PreparedTexts;
}

/** What is known of a query in one layout. */
interface Known {
  askedCount: number;
  ready: { readonly columns: readonly OutputColumn[]; readonly texts: PreparedTexts } | null;
  /** Since the last answer that was had at once: how many go by now, and how many still. */
  pause: number;
  left: number;
}

/** Of one plan and those that differ from it in what they read. */
export class ReadyTexts {
  readonly #known = new Map<LayoutOf, Known>();
  readonly #storage: Preparing;

  constructor(storage: Preparing) {
    this.#storage = storage;
  }

  /** Null where it is not ready in this layout, or not to be had at once, as without `read`. */
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
    // To try costs a part of an answer, which is wasted where most are long.
    known.pause = texts === null ? Math.min(2 * known.pause + 1, kPauseMax) : 0;
    known.left = known.pause;
    return texts === null ? null : { columns: known.ready.columns, texts };
  }

  /** The query was asked by a stream. Its series are chosen by the index. */
  noteAsked(layoutOf: LayoutOf, query: TextQuery, columns: readonly OutputColumn[]): void {
    const known = this.#of(layoutOf);
    // Nobody wants it at once where nobody asked for that, as of states of the past.
    if (known.ready !== null || known.askedCount < kAskedMin) return;
    known.ready = { columns, texts: this.#storage.prepareTexts(query) };
  }

  #of(layoutOf: LayoutOf): Known {
    const known = this.#known.get(layoutOf);
    if (known !== undefined) return known;
    const made = { askedCount: 0, ready: null, pause: 0, left: 0 };
    this.#known.set(layoutOf, made);
    return made;
  }
}
