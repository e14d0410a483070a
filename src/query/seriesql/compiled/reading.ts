/** Translates the reads of a plan for the addon, and records the figures of the answer. */

import { inTurns } from '../../limits/turns.js';

import {
  bindExpression,
  type BoundExpression,
  type LoweredExpression,
} from './expression-builder.js';
import { pinnedLabels } from './lower-selection.js';
import { bindKeyColumns, type KeySource } from './series-columns.js';

import type { BatchStream, GroupQuery, ReadStats, StoredTable } from '../../../storage/storage.js';
import type { PlannedSelection } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { QueryCounters } from '../execute/execution.js';
import type { Guard } from '../../limits/guard.js';
import type { QueryRun } from '../execute/run.js';
import type { LoweredFilter } from './lower-filter.js';

/** The reads of a plan. */
export interface CompiledReading {
  /** Null if a part of the selection must still be resolved. */
  readonly series: GroupQuery['series'] | null;
  readonly ranges: BigInt64Array;
  readonly filter: LoweredFilter;
  /** Expressions that aggregates and ORDER BY use. */
  readonly expressions: LoweredExpression | null;
  /** Expressions that group keys use. */
  readonly keyValues: LoweredExpression | null;
  readonly keyColumns: readonly KeySource[];
}

/** The texts that the ranks in an answer index. */
export interface Texts {
  readonly ofKeys: BoundExpression['texts'];
  readonly ofAggregates: BoundExpression['texts'];
}

/** A read for the addon, and the callback for the figures of its answer. */
export interface ReadingQuestion {
  readonly read: GroupRead;
  /** True if the addon selects the series. */
  readonly isIndexed: boolean;
  readonly texts: Texts;
  readonly note: OnRead;
}

/**
 * Receives the figures when the first piece arrives. `askedAt`: performance.now() at the request.
 */
export type OnRead = (stats: ReadStats, askedAt: number) => void;

export type GroupRead = Pick<
  GroupQuery,
  | 'series'
  | 'ranges'
  | 'limits'
  | 'filter'
  | 'condition'
  | 'expressions'
  | 'keyValues'
  | 'keyColumns'
>;

/** True if the read needs the labels of each series. */
export function readsLabels(reading: CompiledReading): boolean {
  const { filter, expressions, keyValues, keyColumns } = reading;
  const programs = [filter.condition, expressions, keyValues];
  if (keyColumns.length > 0) return true;
  return programs.some((one) => one !== null && one.columns.length > 0);
}

/** The read of these series. */
export async function lowerRead(
  run: QueryRun,
  { ranges, filter, expressions, keyValues, keyColumns }: CompiledReading,
  all: readonly SeriesInfo[],
): Promise<Pick<ReadingQuestion, 'read' | 'texts'>> {
  const ofAggregates = await bindExpression(expressions, all, run);
  const ofKeys = await bindExpression(keyValues, all, run);
  const read = {
    series: await idsOf(run, all),
    ranges,
    limits: limitsOf(run.guard),
    filter: filter.steps,
    condition: (await bindExpression(filter.condition, all, run)).expression,
    expressions: ofAggregates.expression,
    keyValues: ofKeys.expression,
    keyColumns: await bindKeyColumns(keyColumns, all, run),
  };
  return { read, texts: { ofKeys: ofKeys.texts, ofAggregates: ofAggregates.texts } };
}

export function noteReading({ counters }: Pick<QueryRun, 'counters'>): OnRead {
  return (stats, askedAt) => {
    counters.plannedAt = askedAt + stats.selectMs;
    count(counters, stats);
  };
}

export async function idsOf(run: QueryRun, all: readonly SeriesInfo[]): Promise<BigUint64Array> {
  const ids = new BigUint64Array(all.length);
  await inTurns(run.guard, all, ({ id }, at) => {
    ids[at] = id;
  });
  return ids;
}

export function limitsOf({ limits, remainingMs }: Guard): GroupQuery['limits'] {
  return {
    series: limits.maxSeries,
    samples: limits.maxSamples,
    rows: limits.maxRows,
    timeoutMs: remainingMs,
  };
}

export function count(counters: QueryCounters, stats: ReadStats): void {
  counters.rowsScanned += stats.rowsScanned;
  counters.seriesScanned += stats.seriesScanned;
  counters.chunksScanned += stats.chunksScanned;
  counters.chunksSkipped += stats.chunksSkipped;
  counters.bytesRead += stats.bytesRead;
}

/** Records a selection that the addon made. */
export function noteSelection(
  counters: QueryCounters,
  selection: PlannedSelection,
  { seriesSelected, labelCount }: ReadStats,
): void {
  counters.selectedSeriesCount = seriesSelected;
  counters.isExact =
    seriesSelected === 1 && labelCount > 0 && pinnedLabels(selection) === labelCount;
}

/** The only table of a stream, which is then closed; null if there is none. */
export async function readTable(
  stream: BatchStream<StoredTable>,
  guard: Guard,
  onRead: OnRead,
): Promise<StoredTable | null> {
  const close = (): void => {
    stream.close();
  };
  try {
    const askedAt = performance.now();
    const table = await guard.during(stream.next(), close);
    onRead(stream.stats(), askedAt);
    return table;
  } finally {
    close();
  }
}
