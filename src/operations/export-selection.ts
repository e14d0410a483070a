/** Selects the series of an export: per metric, the series that match one of its filters. */

import { describedMetrics, seriesFilter } from './discovery.js';
import { resolveMatchers } from './series-matchers.js';
import { textOf } from './byte-streams.js';

import type { ExportedMetric } from '../common/model/exported-metric.js';
import type { LabelPairs } from '../common/model/selector.js';
import type { SeriesMatcher } from '../common/model/series-matcher.js';
import type { Guard } from '../query/limits/guard.js';
import type { SeriesFilter, SeriesStore } from '../storage/storage.js';

export interface ExportSelection {
  /** Takes precedence over `prefix`. Without both, all metrics are selected. */
  readonly metric: string | undefined;
  readonly prefix: string | undefined;
  /** Labels that a series must have; it may have others. */
  readonly labels: LabelPairs | undefined;
  /** If not empty, a series must also match at least one of these selectors. */
  readonly selectors: readonly (readonly SeriesMatcher[])[];
}

export interface SelectedMetric {
  readonly metric: ExportedMetric;
  /** Each filter selects some series. */
  readonly filters: readonly SeriesFilter[];
}

/** The metrics that exist at the time of the request, by name. */
export async function selectMetrics(
  store: SeriesStore,
  selection: ExportSelection,
  guard: Guard,
): Promise<readonly SelectedMetric[]> {
  const found = new Map<string, SelectedMetric>();
  const filters = await filtersOf(store, selection, guard);
  for (const filter of filters) {
    for (const metric of await describedMetrics(store, filter)) {
      const { name } = metric;
      const own = { ...filter, namePrefix: null, names: [name] };
      const before = found.get(name);
      found.set(name, {
        metric: before === undefined ? metric : withKeysOf(metric, before.metric),
        filters: [...(before?.filters ?? []), own],
      });
    }
  }
  if (filters.length === 1) return [...found.values()];
  return [...found.values()].sort((a, b) => compareBytes(a.metric.name, b.metric.name));
}

/** All series of the metric. */
export async function filterOf(
  store: SeriesStore,
  { filters }: SelectedMetric,
): Promise<SeriesFilter> {
  const [first = seriesFilter({ metric: '', prefix: undefined, labels: undefined }), ...more] =
    filters;
  if (more.length === 0) return first;
  const ids = new Set<number>();
  for (const filter of filters) {
    for (const id of await idsOf(store, filter)) ids.add(id);
  }
  return { ...first, terms: [], ids: BigUint64Array.from([...ids], BigInt) };
}

/** Ids are below 2^53, so numbers hold them. */
async function idsOf(store: SeriesStore, filter: SeriesFilter): Promise<readonly number[]> {
  const question = { labelKey: '', valuePrefix: '', limit: Infinity, inactiveBefore: null };
  const text = await textOf(store.openDiscovery({ answer: 'seriesIds', filter, ...question }));
  return JSON.parse(text) as readonly number[];
}

async function filtersOf(
  store: SeriesStore,
  selection: ExportSelection,
  guard: Guard,
): Promise<readonly SeriesFilter[]> {
  const plain = seriesFilter(selection);
  const { selectors } = selection;
  if (selectors.length === 0) return [plain];
  const names = nameMatchers(selection);
  const filters: SeriesFilter[] = [];
  for (const matchers of selectors) {
    const filter = await resolveMatchers(store, [...matchers, ...names], guard);
    filters.push({ ...filter, terms: [...filter.terms, ...plain.terms] });
  }
  return filters;
}

function nameMatchers({ metric, prefix }: ExportSelection): readonly SeriesMatcher[] {
  if (metric !== undefined) return [{ key: '__name__', op: '=', value: metric }];
  if (prefix === undefined) return [];
  const literal = prefix.replace(/[\\.+*?()[\]{}^$|]/g, '\\$&');
  return [{ key: '__name__', op: '=~', value: `${literal}.*` }];
}

function withKeysOf(metric: ExportedMetric, other: ExportedMetric): ExportedMetric {
  const keys = new Set([...metric.labelKeys, ...other.labelKeys]);
  return { ...metric, labelKeys: [...keys].sort(compareBytes) };
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
