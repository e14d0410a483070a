/**
 * Queries that the addon has read, so that the next one like them is answered at once, without the
 * way of a stream. What is asked once is not kept ready: to read it costs as much as an answer.
 */

import type { PreparedTexts, TextQuery } from '../../storage/storage.js';
import type { OutputColumn } from '../plan/plan.js';
import type { LayoutOf } from '../execute/compiled-engine.js';

interface Ready {
  readonly columns: readonly OutputColumn[];
  readonly texts: PreparedTexts;
}

interface Preparing {
  prepareTexts(query: TextQuery): PreparedTexts;
}

/** Of one plan and those that differ from it in what they read. */
export class ReadyTexts {
  readonly #ready = new Map<LayoutOf, Ready>();
  readonly #asked = new Set<LayoutOf>();
  readonly #storage: Preparing;

  constructor(storage: Preparing) {
    this.#storage = storage;
  }

  /** Null where it is not ready in this layout. */
  for(layoutOf: LayoutOf): Ready | null {
    return this.#ready.get(layoutOf) ?? null;
  }

  /** The query was asked by a stream. Its series are chosen by the index. */
  noteAsked(layoutOf: LayoutOf, query: TextQuery, columns: readonly OutputColumn[]): void {
    if (this.#ready.has(layoutOf)) return;
    if (!this.#asked.has(layoutOf)) this.#asked.add(layoutOf);
    else this.#ready.set(layoutOf, { columns, texts: this.#storage.prepareTexts(query) });
  }
}
