/** The port of the query engines over the storage. */

import { compareText } from '../../values/value.js';
import { emptyRow, printFloat, type Evaluator } from '../plan/evaluate.js';

import { objectTexts } from './json-texts.js';
import { resolveSelection } from './resolve-selection.js';
import { filterOf } from './selection-filter.js';
import { selectionTest } from './selection-match.js';

import type { DatabaseTime, TimestampUnit } from '../../../common/model/timestamp-unit.js';
import type {
  Discovery,
  MathFunction,
  SeriesFilter,
  SeriesRemoval,
  SeriesStore,
} from '../../../storage/storage.js';
import type { DeletePlan, PlannedSelection } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { Guard } from '../../limits/guard.js';
import type { InsertedSample, BatchReader, SeriesSource } from './source.js';

const kFirstIds = 1024;
const question = { labelKey: '', valuePrefix: '', limit: Infinity, inactiveBefore: null } as const;

export class StorageSource implements SeriesSource {
  readonly unit: TimestampUnit;
  readonly math: MathFunction;
  readonly #storage: SeriesStore;
  readonly #evaluator: Evaluator;

  constructor(storage: SeriesStore, unit: TimestampUnit, evaluator: Evaluator) {
    this.#storage = storage;
    this.unit = unit;
    this.math = storage.math;
    this.#evaluator = evaluator;
  }

  /** The index selects as far as it can; the rest is tested on each series found. */
  async select(selection: PlannedSelection, guard?: Guard): Promise<readonly SeriesInfo[]> {
    const found: SeriesInfo[] = [];
    for await (const { series, size } of this.#matching(selection)) {
      guard?.texts.hold(size);
      found.push(series);
      if (guard?.isOver === true) break;
    }
    return found;
  }

  async *#matching(selection: PlannedSelection): AsyncGenerator<FoundSeries> {
    const filter = searchOf(selection);
    const test = selectionTest(selection, (condition, series) =>
      this.#evaluator.isTrue(condition, { ...emptyRow, series }),
    );
    const counters = await this.#counters(filter);
    for await (const text of this.#objects({ answer: 'series', filter, ...question })) {
      const series = readSeries(text, counters);
      if (test(series)) yield { series, size: text.length };
    }
  }

  /** The names of metrics that are counters. */
  async #counters(filter: SeriesFilter): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    for await (const text of this.#objects({ answer: 'metrics', filter, ...question })) {
      const { metric, kind } = JSON.parse(text) as { metric: string; kind: string };
      if (kind === 'counter') names.add(metric);
    }
    return names;
  }

  async *#objects(discovery: Discovery): AsyncGenerator<string> {
    const stream = this.#storage.openDiscovery(discovery);
    try {
      yield* objectTexts(stream);
    } finally {
      stream.close();
    }
  }

  read(series: SeriesInfo, start: DatabaseTime, end: DatabaseTime): BatchReader {
    const stream = this.#storage.openScan(BigUint64Array.of(series.id), start, end);
    return {
      next: async () => {
        const batch = await stream.next();
        return batch === null ? null : { times: batch.ts, values: batch.values };
      },
      stats: () => stream.stats(),
      close: () => {
        stream.close();
      },
    };
  }

  async remove({ selection, ranges }: DeletePlan, guard: Guard): Promise<number> {
    const series = await guard.during(this.#removed(selection, guard), () => undefined);
    return this.#storage.remove({
      series,
      ranges: BigInt64Array.from(ranges.flatMap(({ start, end }) => [start, end])),
      seriesMax: guard.limits.maxSeries,
    });
  }

  /** A filter if possible, which needs no work per series; otherwise the ids. */
  async #removed(selection: PlannedSelection, guard: Guard): Promise<SeriesRemoval['series']> {
    const run = { guard, evaluator: this.#evaluator };
    const filter = await resolveSelection(run, this.#storage, selection);
    if (filter !== null) return filter;
    let ids = new BigUint64Array(kFirstIds);
    let count = 0;
    for await (const { series } of this.#matching(selection)) {
      if (count === ids.length) {
        const grown = new BigUint64Array(2 * count);
        grown.set(ids);
        ids = grown;
      }
      ids[count++] = series.id;
      guard.requireSeries(count);
      await guard.breathe();
    }
    return ids.subarray(0, count);
  }

  async insert(
    name: string,
    labels: readonly (readonly [string, string])[],
    samples: readonly InsertedSample[],
  ): Promise<number> {
    const pairs = labels.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
    const head = `{"metric":${JSON.stringify(name)},"labels":{${pairs.join(',')}}`;
    const request = this.#storage.beginIngest({ precision: this.unit, isLenient: false });
    try {
      for (const { time, value } of samples) {
        request.write(Buffer.from(`${head},"ts":${time},"value":${printFloat(value)}}\n`));
      }
      return (await request.commit()).ingested;
    } catch (error) {
      request.abort();
      throw error;
    }
  }
}

interface FoundSeries {
  readonly series: SeriesInfo;
  /** The approximate size of its texts. */
  readonly size: number;
}

/** For a pattern, the series must at least have the key; the pattern itself is tested later. */
function searchOf(selection: PlannedSelection): SeriesFilter {
  const { filter, terms } = filterOf(selection);
  const keys = terms.flatMap(({ on }) =>
    on.kind === 'metric'
      ? []
      : [{ key: on.key, values: [], isNegated: true, acceptsMissing: false }],
  );
  return { ...filter, terms: [...filter.terms, ...keys] };
}

/** Parses the id from the text because a number might not hold it. */
function readSeries(text: string, counters: ReadonlySet<string>): SeriesInfo {
  const id = /^\{"series_id":([0-9]+)/.exec(text)?.[1] ?? '0';
  const { metric, labels } = JSON.parse(text) as {
    metric: string;
    labels: Readonly<Record<string, string>>;
  };
  const pairs = Object.entries(labels).sort(([left], [right]) => compareText(left, right));
  const kind = counters.has(metric) ? 'counter' : 'gauge';
  return { id: BigInt(id), name: metric, labels: pairs, kind };
}
