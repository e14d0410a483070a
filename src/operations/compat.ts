/** Counts the use of older API forms, so that operators see when clients stop using them. */

import type { Selector } from '../common/model/selector.js';
import type { Storage } from '../storage/storage.js';

export interface CompatStats {
  /** Ingest lines with `series` and `tags`. */
  readonly legacy_ingest_lines: number;
  /** Queries that select by `series` and `tags`. */
  readonly legacy_selector_queries: number;
  /** SQL translation does not exist: always zero. */
  readonly translations: number;
  readonly fallbacks: number;
  readonly cache_hits: number;
}

export class LegacyUse {
  #queries = 0;

  get queries(): number {
    return this.#queries;
  }

  count(selector: Selector): void {
    if ('isLegacy' in selector) this.#queries += 1;
  }
}

export function compatStats(storage: Storage, legacyQueries: number): CompatStats {
  return {
    legacy_ingest_lines: storage.stats()['legacy_ingest_lines_total'] ?? 0,
    legacy_selector_queries: legacyQueries,
    translations: 0,
    fallbacks: 0,
    cache_hits: 0,
  };
}
