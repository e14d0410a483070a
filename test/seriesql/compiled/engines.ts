/** Both query engines over one storage, for tests that compare their answers. */

import { assert } from 'chai';

import { nanoseconds } from '../../../src/common/model/timestamp-unit.js';
import { AppError } from '../../../src/common/errors/app-error.js';
import { zeroTotals } from '../../../src/query/seriesql/compile-totals.js';
import { StorageQueryEngine } from '../../../src/query/seriesql/compiled/storage-engine.js';
import { Guard } from '../../../src/query/limits/guard.js';
import { StorageSource } from '../../../src/query/seriesql/execute/storage-source.js';
import { Evaluator } from '../../../src/query/seriesql/plan/evaluate.js';
import { PreparedStatements } from '../../../src/query/seriesql/prepared.js';
import { printResult, type ResultFormat } from '../../../src/query/seriesql/result/format.js';
import { runQuery, type QueryEngineOptions } from '../../../src/query/seriesql/run-query.js';

import type { TimestampUnit } from '../../../src/common/model/timestamp-unit.js';
import type { CompilerMode, QueryStats } from '../../../src/query/seriesql/execute/query-stats.js';
import type { RunningQuery } from '../../../src/query/seriesql/execute/running-query.js';
import type { Value } from '../../../src/query/values/value.js';
import type { SeriesStore } from '../../../src/storage/storage.js';

export const limits = {
  maxRows: 1e6,
  maxSeries: 1e6,
  maxSamples: 1e9,
  maxTextBytes: 2 ** 28,
  timeoutMs: 20_000,
};

export interface Answer {
  /** Columns and rows, or the code of the error. */
  readonly columns: string;
  readonly rows: readonly (readonly Value[])[];
  readonly stats: QueryStats | null;
}

export class Engines {
  readonly #source: StorageSource;
  readonly #compiled: StorageQueryEngine;
  readonly #prepared = new PreparedStatements();
  readonly differences: string[] = [];
  /** The number of answers whose rows the addon printed as text. */
  nativeTexts = 0;
  readonly totals = zeroTotals();

  constructor(storage: SeriesStore, unit: TimestampUnit = 'ms') {
    this.#source = new StorageSource(storage, unit, new Evaluator(unit, storage.math));
    this.#compiled = new StorageQueryEngine(storage, this.#source);
  }

  async answer(text: string, mode: CompilerMode): Promise<Answer> {
    try {
      const query = await this.start(text, mode, null);
      const rows: (readonly Value[])[] = [];
      for await (const batch of query.rows) rows.push(...batch);
      return { columns: JSON.stringify(query.columns), rows, stats: query.stats() };
    } catch (error) {
      assert.instanceOf(error, AppError, text);
      return { columns: error.code, rows: [], stats: null };
    }
  }

  /** The answer of the compiled engine as the API prints it, less the stats; from values or not. */
  async print(
    text: string,
    format: ResultFormat,
    isFromValues: boolean,
    mode: CompilerMode = 'compiled',
  ): Promise<string> {
    const query = await this.start(text, mode, isFromValues ? null : format);
    this.nativeTexts += query.texts === undefined ? 0 : 1;
    const pieces: Uint8Array[] = [];
    for await (const piece of printResult(query, format)) pieces.push(piece);
    const printed = Buffer.concat(pieces).toString();
    return format === 'json' ? printed.slice(0, printed.lastIndexOf(',"stats":')) : printed;
  }

  start(
    text: string,
    mode: CompilerMode,
    format: ResultFormat | null,
    guard = new Guard(limits),
  ): Promise<RunningQuery> {
    const options: QueryEngineOptions = {
      ...{ source: this.#source, mode, limits, totals: this.totals, clock: () => nanoseconds(0n) },
      ...{ compiled: this.#compiled, prepared: this.#prepared },
      shadow: { onMismatch: 'log', report: (difference) => this.differences.push(difference) },
    };
    return runQuery(text, options, { guard, format });
  }
}
