/** Reads the samples of one series. */

import type { Selector } from '../common/model/selector.js';
import type { TimeRange } from '../common/model/time-range.js';
import type { ByteStream, SeriesStore } from '../storage/storage.js';

/** Pieces of one JSON text, in order. */
export type JsonPieces = ByteStream;

/** The samples of `range` as a JSON array. Throws `ambiguous_selector`. */
export function readRange(storage: SeriesStore, selector: Selector, range: TimeRange): JsonPieces {
  return storage.openRange(selector, range.start, range.end);
}
