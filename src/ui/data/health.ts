/** Silent, undocumented and costly metrics, from the server's index. */

import { ask } from './server.js';
import { bySurprise } from './silent-order.js';

import type {
  LabelValueCount,
  MetricHealth,
  Sample,
  SeriesDescriptor,
} from '../../client/client.js';

/** The most rows that the page holds; beyond it the server searches. */
export const heldMax = 10_000;
/** The page size of a list that is read in parts. */
const kPart = 2_000;
/** The most label values that are counted. */
const valuesMax = 1_000;

export interface HeldList<T> {
  readonly rows: readonly T[];
  /** True if there are more rows. */
  readonly isCut: boolean;
}

const held = <T>(rows: readonly T[], most: number): HeldList<T> => ({
  rows: rows.slice(0, most),
  isCut: rows.length > most,
});

interface SilentQuestion {
  readonly prefix: string;
  readonly before: bigint;
}

/** Metrics with a silent series, the most surprising first. */
export async function findSilent(
  { prefix, before }: SilentQuestion,
  signal: AbortSignal,
): Promise<HeldList<MetricHealth>> {
  const asked = {
    ...{ prefix, inactive_before_ts: before, limit: heldMax + 1 },
    ...({ only: 'inactive', sort: 'inactive_series_count' } as const),
  };
  const found = held(await ask((client) => client.metricsHealth(asked, { signal })), heldMax);
  return { ...found, rows: bySurprise(found.rows) };
}

/** The silent series of a metric, those silent for longest first. */
export async function findSilentSeries(
  metric: string,
  before: bigint,
  signal: AbortSignal,
): Promise<HeldList<SeriesDescriptor>> {
  const asked = { metric, limit: heldMax + 1 };
  const { rows, isCut } = held(
    await ask((client) => client.findSeries(asked, { signal })),
    heldMax,
  );
  const silent = rows.filter(({ last_ts: last }) => last === null || last < before);
  return { rows: silent.sort(byLastSeen), isCut };
}

function byLastSeen(left: SeriesDescriptor, right: SeriesDescriptor): number {
  if (left.last_ts === right.last_ts) return 0;
  if (left.last_ts === null) return -1;
  return right.last_ts === null || left.last_ts > right.last_ts ? 1 : -1;
}

interface UndocumentedQuestion {
  readonly prefix: string;
  readonly most: number;
}

/** Metrics with missing metadata, by name, read in parts. */
export async function findUndocumented(
  { prefix, most }: UndocumentedQuestion,
  signal: AbortSignal,
): Promise<HeldList<MetricHealth>> {
  const rows: MetricHealth[] = [];
  while (rows.length <= most) {
    const last = rows.at(-1);
    const asked = {
      ...({ prefix, only: 'undocumented', limit: kPart } as const),
      ...(last === undefined ? {} : { after: last.metric }),
    };
    const part = await ask((client) => client.metricsHealth(asked, { signal }));
    rows.push(...part);
    if (part.length < kPart) break;
  }
  return held(rows, most);
}

/** Metrics by the number of their series, descending. */
export async function findCostly(
  prefix: string,
  signal: AbortSignal,
): Promise<HeldList<MetricHealth>> {
  const asked = { prefix, sort: 'series_count', limit: heldMax + 1 } as const;
  return held(await ask((client) => client.metricsHealth(asked, { signal })), heldMax);
}

export interface LabelCost {
  readonly key: string;
  readonly values: HeldList<LabelValueCount>;
}

/** The labels of a metric by the number of their values, descending; reads no sample. */
export async function findLabelCosts(
  { metric, label_keys: keys }: MetricHealth,
  signal: AbortSignal,
): Promise<readonly LabelCost[]> {
  const limit = valuesMax + 1;
  const costs: LabelCost[] = [];
  for (const key of keys) {
    const found = await ask((client) =>
      client.countLabelValues({ key, metric, limit }, { signal }),
    );
    costs.push({ key, values: held(found, valuesMax) });
  }
  return costs.sort((left, right) => right.values.rows.length - left.values.rows.length);
}

export interface LastSample {
  readonly series: SeriesDescriptor;
  readonly sample: Sample;
}

/** The last sample of the metric's first series; empty if it has none. */
export async function findLastSample(
  metric: string,
  signal: AbortSignal,
): Promise<readonly LastSample[]> {
  return ask(async (client) => {
    const [series] = await client.findSeries({ metric, limit: 1 }, { signal });
    const ts = series?.last_ts ?? null;
    if (series === undefined || ts === null) return [];
    const range = { series_id: series.series_id, start: ts, end: ts };
    const samples = await client.range(range, { signal });
    return samples.map((sample) => ({ series, sample }));
  });
}
