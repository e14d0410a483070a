/**
 * Labels and kinds of metrics, to warn of statements that name missing labels or treat a gauge as a
 * counter.
 */

import { didYouMean } from '../../common/model/nearest.js';
import { objectTexts } from '../../query/seriesql/execute/json-texts.js';
import { keyAsWritten, metricAsWritten } from '../../query/seriesql/language/written-name.js';
import { findMetrics } from '../discovery.js';

import { KeptMap } from './kept-map.js';

import type { PlannedSelection, SelectionTarget } from '../../query/seriesql/plan/plan.js';
import type { AskedOfMetric, MetricRemarks } from '../../query/seriesql/plan/metric-needs.js';
import type { SeriesStore } from '../../storage/storage.js';
import type { DiscoveredMetric } from './found-metrics.js';

/** The most metrics of a family to examine. Larger families get no notes. */
const kLookedMax = 2000;
/** The most labels of a family to hold while it is examined. Families with more get no notes. */
const kLabelsMax = 10_000;
/** The most metrics and families in the cache. */
const kKeptMax = 1024;
/** Entries expire after this time: labels may be deleted, and gauges may become counters. */
const kKeptMs = 60_000;
/** The most labels in a note without a similar label. */
const kListedMax = 10;

/** A metric or a family that a statement names. */
type NamedTarget = Extract<SelectionTarget, { kind: 'metric' | 'family' }>;

interface KnownNames {
  /** Labels that statements used and series have. */
  readonly labels: Set<string>;
  /** A metric that is no counter. Null if all are counters; undefined if unknown. */
  other: string | null | undefined;
}

/** The result of a lookup, as far as it went. */
interface FoundNames {
  readonly labels: ReadonlySet<string>;
  /** A metric that is no counter; null if none was seen. */
  readonly other: string | null;
}

export class KnownMetrics implements MetricRemarks {
  readonly #storage: SeriesStore;
  /** Entries by metric, or by prefix of a family. */
  readonly #known = {
    metric: new KeptMap<KnownNames>({ sizeMax: kKeptMax, ms: kKeptMs }),
    family: new KeptMap<KnownNames>({ sizeMax: kKeptMax, ms: kKeptMs }),
  };

  constructor(storage: SeriesStore) {
    this.#storage = storage;
  }

  known({ target }: PlannedSelection, asked: AskedOfMetric): readonly string[] | null {
    if (isNothing(asked) || !isNamed(target)) return [];
    const known = this.#known[target.kind].get(nameOf(target));
    if (known === undefined || !asked.keys.every((key) => known.labels.has(key))) return null;
    if (asked.counterFunction === null) return [];
    return known.other === undefined ? null : notesOfKind(known.other, asked.counterFunction);
  }

  async notesOn({ target }: PlannedSelection, asked: AskedOfMetric): Promise<readonly string[]> {
    if (isNothing(asked) || !isNamed(target)) return [];
    const found = await this.#look(target, asked).catch(() => null);
    // There are no series or too many metrics, so there is no note.
    if (found === null) return [];
    this.#keep(target, asked, found);
    const missing = asked.keys.filter((key) => !found.labels.has(key));
    const notes = missing.map((key) => noteOfLabel(target, key, [...found.labels]));
    return [...notes, ...notesOfKind(found.other, asked.counterFunction)];
  }

  /** Reads metrics until every question is answered. Null if there is no metric, or too many. */
  async #look(
    target: NamedTarget,
    { keys, counterFunction }: AskedOfMetric,
  ): Promise<FoundNames | null> {
    const asked = target.kind === 'metric' ? { metric: target.name } : {};
    const prefix = target.kind === 'family' ? target.prefix : undefined;
    const limit = kLookedMax + 1;
    const stream = findMetrics(this.#storage, { ...asked, prefix, labels: undefined, limit });
    const labels = new Set<string>();
    let other: string | null = null;
    let count = 0;
    try {
      for await (const text of objectTexts(stream)) {
        count += 1;
        const { metric, kind, label_keys: found = [] } = JSON.parse(text) as DiscoveredMetric;
        for (const key of found) labels.add(key);
        if (kind !== 'counter') other ??= metric;
        const isSettled = counterFunction === null || other !== null;
        if (isSettled && keys.every((key) => labels.has(key))) return { labels, other };
        if (labels.size > kLabelsMax) return null;
      }
    } finally {
      stream.close();
    }
    return count === 0 || count > kLookedMax ? null : { labels, other };
  }

  #keep(target: NamedTarget, { keys, counterFunction }: AskedOfMetric, found: FoundNames): void {
    const kept = this.#known[target.kind];
    const name = nameOf(target);
    const known = kept.get(name) ?? { labels: new Set(), other: undefined };
    for (const key of keys) if (found.labels.has(key)) known.labels.add(key);
    if (counterFunction !== null) known.other = found.other;
    kept.set(name, known);
  }
}

function isNothing({ keys, counterFunction }: AskedOfMetric): boolean {
  return keys.length === 0 && counterFunction === null;
}

function isNamed(target: SelectionTarget): target is NamedTarget {
  return target.kind === 'metric' || target.kind === 'family';
}

function nameOf(target: NamedTarget): string {
  return target.kind === 'metric' ? target.name : target.prefix;
}

function noteOfLabel(target: NamedTarget, key: string, labels: readonly string[]): string {
  const written = target.kind === 'metric' ? metricAsWritten(target.name) : `${target.prefix}*`;
  const listed = labels.slice(0, kListedMax).map(keyAsWritten).join(', ');
  const rest = labels.length > kListedMax ? ', …' : '';
  const list = labels.length === 0 ? 'they have no labels' : `they have ${listed}${rest}`;
  const near = didYouMean(key, labels) ?? list;
  return `no series of ${written} has the label ${keyAsWritten(key)}; ${near}`;
}

function notesOfKind(other: string | null, name: string | null): readonly string[] {
  if (other === null || name === null) return [];
  return [
    `${metricAsWritten(other)} is a gauge, so ${name}() counts a reset as a decrease; ` +
      `a line with "kind":"counter" for one of its series makes it a counter`,
  ];
}
