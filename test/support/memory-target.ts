/** The query language over series in memory, for transcripts and for tests of the language. */

import { nanoseconds } from '../../src/common/model/timestamp-unit.js';
import { AppError } from '../../src/common/errors/app-error.js';
import { emptyRow, Evaluator } from '../../src/query/seriesql/plan/evaluate.js';
import { readTimestamp } from '../../src/query/seriesql/language/time-literal.js';
import { runQuery, type QueryEngineOptions } from '../../src/query/seriesql/run-query.js';
import { zeroTotals } from '../../src/query/seriesql/compile-totals.js';

import { MemorySource } from './memory-source.js';

import type { TimestampUnit } from '../../src/common/model/timestamp-unit.js';
import type { QueryLimits } from '../../src/query/limits/guard.js';
import type { ResultRow } from '../../src/query/seriesql/execute/execution.js';
import type { LoadedSeries, QueryRows, TranscriptTarget } from './transcript.js';

export const roomyLimits: QueryLimits = {
  maxRows: 100_000,
  maxSeries: 10_000,
  maxSamples: 10_000_000,
  maxTextBytes: 2 ** 28,
  timeoutMs: 20_000,
};

export function memorySource(unit: TimestampUnit = 'ms'): MemorySource {
  const evaluator = new Evaluator(unit);
  const holds = (condition: Parameters<Evaluator['isTrue']>[0], series: typeof emptyRow.series) =>
    evaluator.isTrue(condition, { ...emptyRow, series });
  // A small batch, so that every test crosses batch boundaries.
  return new MemorySource({ unit, batchSize: 3, holds });
}

export function engineOptions(
  source: MemorySource,
  more: Partial<QueryEngineOptions> = {},
): QueryEngineOptions {
  return {
    source,
    mode: 'legacy',
    limits: roomyLimits,
    clock: () => nanoseconds(1_648_335_600_000_000_000n),
    compiled: null,
    totals: zeroTotals(),
    shadow: { onMismatch: 'log', report: () => undefined },
    ...more,
  };
}

export class MemoryTarget implements TranscriptTarget {
  #source = memorySource();
  #now = nanoseconds(1_648_335_600_000_000_000n);

  load(series: LoadedSeries): Promise<void> {
    if (series.isCounter) this.#source.declareCounter(series.name);
    this.#source.add(series.name, series.labels, series.samples);
    return Promise.resolve();
  }

  set(name: string, value: string): Promise<void> {
    const now = readTimestamp(value);
    if (name === 'now' && now !== null) this.#now = now;
    else if (value === 's' || value === 'ms' || value === 'us' || value === 'ns') {
      this.#source = memorySource(value);
    } else throw new AppError('invalid_argument', `cannot set ${name} to ${value}`);
    return Promise.resolve();
  }

  async query(text: string): Promise<QueryRows> {
    const query = await runQuery(text, engineOptions(this.#source, { clock: () => this.#now }));
    const rows: ResultRow[] = [];
    for await (const batch of query.rows) rows.push(...batch);
    return { columns: query.columns, rows };
  }
}
