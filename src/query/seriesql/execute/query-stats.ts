/** The figures of a query, as the API shows them. */

import { roundedMs } from './operators.js';

import type { Selection } from '../plan/plan.js';
import type { FallbackReason } from './compiled-engine.js';
import type { QueryCounters } from './execution.js';

export type CompilerMode = 'compiled' | 'legacy' | 'shadow';

type SelectorMode = 'exact' | 'metric_family' | 'none';

export interface QueryStats {
  /** From the text to its tree. */
  readonly parse_ms: number;
  /** Names, types and constants: from the tree to the logical plan. */
  readonly validate_ms: number;
  /** The engine chosen, the plan put into its terms, the series selected. */
  readonly plan_ms: number;
  /** The rest, to the last row. */
  readonly execute_ms: number;
  readonly rows_emitted: number;
  readonly rows_scanned: number;
  readonly series_scanned: number;
  readonly chunks_scanned: number;
  readonly chunks_skipped: number;
  readonly bytes_read: number;
  readonly execution_mode: CompilerMode;
  readonly legacy_fallback: boolean;
  readonly fallback_reason?: FallbackReason;
  readonly selector_mode: SelectorMode;
  readonly selected_series_count: number;
  /** Which state was read, and what it lacks, where a time was asked for. */
  readonly as_of?: string;
  /** What a statement takes for granted of its metric that is not so, and what rows leave out. */
  readonly warnings?: readonly string[];
  readonly operators?: readonly { name: string; rows_out: number; elapsed_ms: number }[];
}

/** What the figures are made of besides the counters. */
export interface QueryProgress {
  readonly mode: CompilerMode;
  /** Why the interpreter ran, or that the engines disagree. */
  reason: FallbackReason | null;
  /** As the text says; one series with all its labels is exact too. */
  selectorMode: SelectorMode;
  /** Of performance.now(): at the start, with the tree, with the plan, after the last row. */
  startedAt: number;
  parsedAt: number | null;
  checkedAt: number | null;
  endedAt: number | null;
}

export function newProgress(mode: CompilerMode): QueryProgress {
  return {
    mode,
    reason: null,
    selectorMode: 'none',
    startedAt: performance.now(),
    parsedAt: null,
    checkedAt: null,
    endedAt: null,
  };
}

export function selectorModeOf({ target }: Selection): SelectorMode {
  return target.kind === 'by_id' ? 'exact' : 'metric_family';
}

export function statsOf(progress: QueryProgress, counters: QueryCounters): QueryStats {
  const { mode, reason, selectorMode, startedAt } = progress;
  const parsedAt = progress.parsedAt ?? startedAt;
  const checkedAt = progress.checkedAt ?? parsedAt;
  const plannedAt = counters.plannedAt ?? checkedAt;
  const endedAt = progress.endedAt ?? performance.now();
  const operators = counters.operators?.list().map(({ name, rowsOut, elapsedMs }) => ({
    ...{ name, rows_out: rowsOut, elapsed_ms: roundedMs(elapsedMs) },
  }));
  return {
    parse_ms: roundedMs(parsedAt - startedAt),
    validate_ms: roundedMs(checkedAt - parsedAt),
    plan_ms: roundedMs(plannedAt - checkedAt),
    execute_ms: roundedMs(endedAt - plannedAt),
    rows_emitted: counters.rowsEmitted,
    rows_scanned: counters.rowsScanned,
    series_scanned: counters.seriesScanned,
    chunks_scanned: counters.chunksScanned,
    chunks_skipped: counters.chunksSkipped,
    bytes_read: counters.bytesRead,
    execution_mode: mode,
    legacy_fallback: reason !== null && reason !== 'shadow_mismatch',
    ...(reason === null ? {} : { fallback_reason: reason }),
    selector_mode: selectorMode !== 'none' && counters.isExact ? 'exact' : selectorMode,
    selected_series_count: counters.selectedSeriesCount,
    ...(operators === undefined ? {} : { operators }),
  };
}

export function withWarnings(stats: QueryStats, warnings: readonly string[]): QueryStats {
  return warnings.length === 0 ? stats : { ...stats, warnings };
}
