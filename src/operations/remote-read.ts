/** Samples of many series, as Prometheus' remote_read asks for them. */

import { floorDivide, kI64Max, kI64Min } from '../model/integers.js';
import { nanosecondsPerUnit, type TimestampUnit } from '../model/timestamp-unit.js';
import { resolveMatchers, type SeriesMatcher } from './series-matchers.js';

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
    const range = { start: firstFrom(start, unit), end: firstFrom(end + 1n, unit) - 1n };
    queries.push({ filter, start: clamped(range.start), end: clamped(range.end) });
  }
  const { maxSeries, maxSamples } = guard.limits;
  const isStreamed = form === 'chunks';
  return store.openRemoteRead({
    ...{ queries, isStreamed, seriesMax: maxSeries, samplesMax: maxSamples },
  });
}

/** The first time of the unit that is not before a millisecond. */
function firstFrom(milliseconds: bigint, unit: TimestampUnit): bigint {
  return -floorDivide(-milliseconds * nanosecondsPerUnit.ms, nanosecondsPerUnit[unit]);
}

function clamped(time: bigint): bigint {
  return time < kI64Min ? kI64Min : time > kI64Max ? kI64Max : time;
}

/** As PromQL would write it, for those who look at what runs. */
export function printReads(reads: readonly MatchedRead[]): string {
  let text = '';
  for (const { matchers } of reads) {
    const parts = matchers.map(({ key, op, value }) => `${key}${op}${JSON.stringify(value)}`);
    text += `${text === '' ? '' : ' '}{${parts.join(',')}}`;
    if (text.length > kShownMax) break;
  }
  return text.slice(0, kShownMax);
}
