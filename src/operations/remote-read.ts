/** Answers Prometheus' remote_read. */

import { rangeOfMilliseconds, type MillisecondRange } from '../common/model/time-range.js';
import { beginningOf } from '../common/model/visible-text.js';
import { resolveMatchers } from './series-matchers.js';

import type { EscapedNames } from './names/escaped-names.js';
import type { SeriesMatcher } from '../common/model/series-matcher.js';
import type { TimestampUnit } from '../common/model/timestamp-unit.js';
import type { Guard } from '../query/limits/guard.js';
import type { ByteStream, SeriesStore } from '../storage/storage.js';

/** The response type: SAMPLES, held in memory, or STREAMED_XOR_CHUNKS. */
type RemoteReadForm = 'samples' | 'chunks';

/** A read in milliseconds, both ends inclusive. All matchers must hold. */
export interface MatchedRead extends MillisecondRange {
  readonly matchers: readonly SeriesMatcher[];
}

/** Properties of the answer. */
export interface RemoteReadWish {
  readonly form: RemoteReadForm;
  /** True if the reader accepts only the characters in names that Prometheus before 3.0 allows. */
  readonly isEscaped: boolean;
}

interface RemoteReadWork extends RemoteReadWish {
  readonly store: SeriesStore;
  readonly names: EscapedNames;
  readonly unit: TimestampUnit;
  readonly guard: Guard;
}

/** The most characters of a read in the list of queries, over all its selectors. */
const kShownMax = 2000;

/** Throws `validation_failed` for a bad pattern, and errors that end a query. */
export async function openRemoteRead(
  { form, isEscaped, store, names, unit, guard }: RemoteReadWork,
  reads: readonly MatchedRead[],
): Promise<ByteStream> {
  const queries = [];
  for (const { start, end, matchers } of reads) {
    const asked = isEscaped
      ? await guard.during(names.storedMatchers(matchers), () => undefined)
      : matchers;
    const filter = await resolveMatchers(store, asked, guard);
    // A sample counts as of the millisecond that contains it.
    queries.push({ filter, ...rangeOfMilliseconds({ start, end }, unit) });
  }
  const { maxSeries, maxSamples } = guard.limits;
  const isStreamed = form === 'chunks';
  return store.openRemoteRead({
    ...{ queries, isStreamed, isEscaped, seriesMax: maxSeries, samplesMax: maxSamples },
  });
}

/** Prints the matchers as PromQL selectors, for the list of queries. */
export function printSelectors(selectors: readonly (readonly SeriesMatcher[])[]): string {
  let text = '';
  for (const matchers of selectors) {
    const parts = matchers.map(({ key, op, value }) => `${key}${op}${JSON.stringify(value)}`);
    text += `${text === '' ? '' : ' '}{${parts.join(',')}}`;
    if (text.length > kShownMax) break;
  }
  return beginningOf(text, kShownMax);
}
