/** Samples of many series, as Prometheus' remote_read asks for them. */

import { rangeOfMilliseconds } from '../model/millisecond-range.js';
import { resolveMatchers } from './series-matchers.js';

import type { SeriesMatcher } from '../model/series-matcher.js';
import type { TimestampUnit } from '../model/timestamp-unit.js';
import type { Guard } from '../seriesql/execute/guard.js';
import type { ByteStream, SeriesStore } from '../storage/storage.js';

/** How they come: held whole as SAMPLES, or streamed as STREAMED_XOR_CHUNKS. */
export type RemoteReadForm = 'samples' | 'chunks';

/** In milliseconds, both ends inclusive. All matchers hold. */
export interface MatchedRead {
  readonly start: bigint;
  readonly end: bigint;
  readonly matchers: readonly SeriesMatcher[];
}

interface Reading {
  readonly form: RemoteReadForm;
  readonly store: SeriesStore;
  readonly unit: TimestampUnit;
  readonly guard: Guard;
}

/** Characters of all that are shown. */
const kShownMax = 2000;

/** Throws `validation_failed` for a pattern, and what ends a query. */
export async function openRemoteRead(
  { form, store, unit, guard }: Reading,
  reads: readonly MatchedRead[],
): Promise<ByteStream> {
  const queries = [];
  for (const { start, end, matchers } of reads) {
    const filter = await resolveMatchers(store, matchers, guard);
    // A sample is read as of the millisecond that it lies in.
    queries.push({ filter, ...rangeOfMilliseconds({ start, end }, unit) });
  }
  const { maxSeries, maxSamples } = guard.limits;
  const isStreamed = form === 'chunks';
  return store.openRemoteRead({
    ...{ queries, isStreamed, seriesMax: maxSeries, samplesMax: maxSamples },
  });
}

/** As PromQL would write it, for those who look at what runs. */
export function printSelectors(selectors: readonly (readonly SeriesMatcher[])[]): string {
  let text = '';
  for (const matchers of selectors) {
    const parts = matchers.map(({ key, op, value }) => `${key}${op}${JSON.stringify(value)}`);
    text += `${text === '' ? '' : ' '}{${parts.join(',')}}`;
    if (text.length > kShownMax) break;
  }
  return text.slice(0, kShownMax);
}
