/** Which labels the series of a metric have, for statements that name others. */

import { didYouMean } from '../../model/nearest.js';
import { objectTexts } from '../../seriesql/execute/json-texts.js';
import { keyAsWritten, metricAsWritten } from '../../seriesql/language/written-name.js';
import { findMetrics } from '../discovery.js';

import type { Selection, SelectionTarget } from '../../seriesql/plan/plan.js';
import type { LabelNotes } from '../../seriesql/run-query.js';
import type { SeriesStore } from '../../storage/storage.js';

/** Metrics of a family that are looked at. With more, nothing is said. */
const kLookedMax = 2000;
/** Metrics and families whose labels are kept. */
const kKeptMax = 1024;
/** Labels are looked up again after this time, because deletions remove some. */
const kKeptMs = 60_000;
/** Labels that are listed where none is near. */
const kListedMax = 10;

/** What a statement selects by name. */
type NamedTarget = Extract<SelectionTarget, { kind: 'metric' | 'family' }>;

export class KnownLabels implements LabelNotes {
  readonly #storage: SeriesStore;
  /** Labels that statements named and series have, by metric or by the prefix of a family. */
  readonly #known = {
    metric: new Map<string, Set<string>>(),
    family: new Map<string, Set<string>>(),
  };
  #keptSince = 0;

  constructor(storage: SeriesStore) {
    this.#storage = storage;
  }

  areKnown({ target }: Selection, keys: readonly string[]): boolean {
    if (keys.length === 0 || !isNamed(target)) return true;
    const known = this.#known[target.kind].get(nameOf(target));
    return known !== undefined && keys.every((key) => known.has(key));
  }

  async notesOn({ target }: Selection, keys: readonly string[]): Promise<readonly string[]> {
    if (keys.length === 0 || !isNamed(target)) return [];
    const labels = await this.#look(target, keys).catch(() => null);
    // No series, or too many metrics: there is nothing to say of labels.
    if (labels === null) return [];
    this.#keep(
      target,
      keys.filter((key) => labels.has(key)),
    );
    const missing = keys.filter((key) => !labels.has(key));
    return missing.map((key) => noteOf(target, key, [...labels]));
  }

  /** Labels until all of the keys were found. Null: no metric, or too many to tell. */
  async #look(target: NamedTarget, keys: readonly string[]): Promise<ReadonlySet<string> | null> {
    const asked = target.kind === 'metric' ? { metric: target.name } : {};
    const prefix = target.kind === 'family' ? target.prefix : undefined;
    const limit = kLookedMax + 1;
    const stream = findMetrics(this.#storage, { ...asked, prefix, labels: undefined, limit });
    const labels = new Set<string>();
    let count = 0;
    try {
      for await (const text of objectTexts(stream)) {
        count += 1;
        const { label_keys: found = [] } = JSON.parse(text) as { label_keys?: readonly string[] };
        for (const key of found) labels.add(key);
        if (keys.every((key) => labels.has(key))) return labels;
      }
    } finally {
      stream.close();
    }
    return count === 0 || count > kLookedMax ? null : labels;
  }

  #keep(target: NamedTarget, keys: readonly string[]): void {
    const kept = this.#known[target.kind];
    const now = performance.now();
    if (now - this.#keptSince > kKeptMs || kept.size >= kKeptMax) {
      this.#known.metric.clear();
      this.#known.family.clear();
      this.#keptSince = now;
    }
    const name = nameOf(target);
    const known = kept.get(name) ?? new Set();
    for (const key of keys) known.add(key);
    kept.set(name, known);
  }
}

function isNamed(target: SelectionTarget): target is NamedTarget {
  return target.kind === 'metric' || target.kind === 'family';
}

function nameOf(target: NamedTarget): string {
  return target.kind === 'metric' ? target.name : target.prefix;
}

function noteOf(target: NamedTarget, key: string, labels: readonly string[]): string {
  const written = target.kind === 'metric' ? metricAsWritten(target.name) : `${target.prefix}*`;
  const listed = labels.slice(0, kListedMax).map(keyAsWritten).join(', ');
  const rest = labels.length > kListedMax ? ', …' : '';
  const list = labels.length === 0 ? 'they have no labels' : `they have ${listed}${rest}`;
  const near = didYouMean(key, labels) ?? list;
  return `no series of ${written} has the label ${keyAsWritten(key)}; ${near}`;
}
