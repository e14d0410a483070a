/** Answers remote_read of Prometheus. */

import { rangeOfMilliseconds } from '../common/model/millisecond-range.js';
import { resolveMatchers } from './series-matchers.js';

import type { EscapedNames } from './names/escaped-names.js';
import type { SeriesMatcher } from '../common/model/series-matcher.js';
import type { TimestampUnit } from '../common/model/timestamp-unit.js';
import type { Guard } from '../query/limits/guard.js';
import type { ByteStream, SeriesStore } from '../storage/storage.js';

/** How they come: held whole as SAMPLES, or streamed as STREAMED_XOR_CHUNKS. */
type RemoteReadForm = 'samples' | 'chunks';

/** In milliseconds, both ends inclusive. All matchers hold. */
export interface MatchedRead {
  readonly start: bigint;
  readonly end: bigint;
  readonly matchers: readonly SeriesMatcher[];
}

/** How an answer is made. */
export interface RemoteReadWish {
  readonly form: RemoteReadForm;
  /** The reader takes no other characters in names than Prometheus before 3.0. */
  readonly isEscaped: boolean;
}

interface Reading extends RemoteReadWish {
  readonly store: SeriesStore;
  readonly names: EscapedNames;
  readonly unit: TimestampUnit;
  readonly guard: Guard;
}

/** Shown characters of all queries. */
const kShownMax = 2000;

/** Throws `validation_failed` for a pattern, and errors that end a query. */
export async function openRemoteRead(
  { form, isEscaped, store, names, unit, guard }: Reading,
  reads: readonly MatchedRead[],
): Promise<ByteStream> {
  const queries = [];
  for (const { start, end, matchers } of reads) {
    const asked = isEscaped
      ? await guard.during(names.storedMatchers(matchers), () => undefined)
      : matchers;
    const filter = await resolveMatchers(store, asked, guard);
    // A sample is read as of the millisecond that it lies in.
    queries.push({ filter, ...rangeOfMilliseconds({ start, end }, unit) });
  }
  const { maxSeries, maxSamples } = guard.limits;
  const isStreamed = form === 'chunks';
  return store.openRemoteRead({
    ...{ queries, isStreamed, isEscaped, seriesMax: maxSeries, samplesMax: maxSamples },
  });
}

/** As a PromQL selector, for the list of queries. */
export function printSelectors(selectors: readonly (readonly SeriesMatcher[])[]): string {
  let text = '';
  for (const matchers of selectors) {
    const parts = matchers.map(({ key, op, value }) => `${key}${op}${JSON.stringify(value)}`);
    text += `${text === '' ? '' : ' '}{${parts.join(',')}}`;
    if (text.length > kShownMax) break;
  }
  return text.slice(0, kShownMax);
}
