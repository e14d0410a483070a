/**
 * Series in memory behind the port of the query language: naive, and so a reference. Times are
 * bigints; the last write of a time wins.
 */

import { selectionTest } from '../../src/query/seriesql/execute/selection-match.js';
import { compareText } from '../../src/query/values/value.js';

import type { Guard } from '../../src/query/limits/guard.js';
import type { DeletePlan, Expr, PlannedSelection } from '../../src/query/seriesql/plan/plan.js';
import type {
  InsertedSample,
  SampleColumns,
  BatchReader,
  SeriesSource,
} from '../../src/query/seriesql/execute/source.js';
import type { SeriesInfo } from '../../src/query/seriesql/plan/series.js';
import type { TimestampUnit } from '../../src/common/model/timestamp-unit.js';

type Labels = readonly (readonly [string, string])[];

interface Stored {
  readonly series: SeriesInfo;
  readonly samples: Map<bigint, number>;
}

export interface MemorySourceOptions {
  readonly unit?: TimestampUnit;
  /** Samples in one batch. */
  readonly batchSize?: number;
  readonly holds: (condition: Expr, series: SeriesInfo) => boolean;
}

export class MemorySource implements SeriesSource {
  readonly unit: TimestampUnit;
  readonly #batchSize: number;
  readonly #holds: MemorySourceOptions['holds'];
  readonly #stored = new Map<string, Stored>();
  readonly #counters = new Set<string>();

  constructor(options: MemorySourceOptions) {
    this.unit = options.unit ?? 'ms';
    this.#batchSize = options.batchSize ?? 1000;
    this.#holds = options.holds;
  }

  /** A series gets the next id, from 1. */
  add(name: string, labels: Labels, samples: readonly InsertedSample[]): void {
    const sorted = labels.toSorted(([left], [right]) => compareText(left, right));
    const identity = JSON.stringify([name, sorted]);
    let stored = this.#stored.get(identity);
    if (stored === undefined) {
      const kind = this.#counters.has(name) ? 'counter' : 'gauge';
      const id = BigInt(this.#stored.size + 1);
      stored = { series: { id, name, labels: sorted, kind }, samples: new Map() };
      this.#stored.set(identity, stored);
    }
    for (const { time, value } of samples) stored.samples.set(time, value);
  }

  /** Call before the first sample of the metric. */
  declareCounter(name: string): void {
    this.#counters.add(name);
  }

  select(selection: PlannedSelection): Promise<readonly SeriesInfo[]> {
    const test = selectionTest(selection, this.#holds);
    const live = [...this.#stored.values()].filter(({ samples }) => samples.size > 0);
    return Promise.resolve(live.map(({ series }) => series).filter(test));
  }

  read(series: SeriesInfo, start: bigint, end: bigint): BatchReader {
    const all = [...this.#samplesOf(series)]
      .filter(([time]) => time >= start && time <= end)
      .sort(([left], [right]) => (left < right ? -1 : 1));
    let at = 0;
    return {
      next: () => {
        const batch = all.slice(at, at + this.#batchSize);
        at += batch.length;
        return Promise.resolve(batch.length === 0 ? null : columnsOf(batch));
      },
      close: () => {
        at = all.length;
      },
    };
  }

  insert(name: string, labels: Labels, samples: readonly InsertedSample[]): Promise<number> {
    this.add(name, labels, samples);
    return Promise.resolve(samples.length);
  }

  async remove({ selection, ranges }: DeletePlan, guard: Guard): Promise<number> {
    const selected = await this.select(selection);
    guard.requireSeries(selected.length);
    for (const series of selected) {
      const samples = this.#samplesOf(series);
      for (const time of samples.keys()) {
        if (ranges.some(({ start, end }) => time >= start && time <= end)) samples.delete(time);
      }
    }
    return selected.length;
  }

  #samplesOf(series: SeriesInfo): Map<bigint, number> {
    const identity = JSON.stringify([series.name, series.labels]);
    return this.#stored.get(identity)?.samples ?? new Map<bigint, number>();
  }
}

function columnsOf(batch: readonly (readonly [bigint, number])[]): SampleColumns {
  return {
    times: BigInt64Array.from(batch, ([time]) => time),
    values: Float64Array.from(batch, ([, value]) => value),
  };
}
