/** The figures of a query, as the API shows them. */

import { roundedMs } from './operators.js';

import type { PlannedSelection } from '../plan/plan.js';
import type { FallbackReason } from './compiled-engine.js';
import type { QueryCounters } from './execution.js';

export type CompilerMode = 'compiled' | 'legacy' | 'shadow';

type SelectorMode = 'exact' | 'metric_family' | 'none';

export interface QueryStats {
  /** From the text to its tree. */
  readonly parse_ms: number;
  /** From the tree to the logical plan: names, types and constants. */
  readonly validate_ms: number;
  /** Choice of the engine, compilation and selection of the series. */
  readonly plan_ms: number;
  /** The rest, up to the last row. */
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
  /** The state of the past that was read, and its gaps. Present if the query asked for a time. */
  readonly as_of?: string;
  /** Wrong assumptions of the statement about its metric, and data that the rows leave out. */
  readonly warnings?: readonly string[];
  readonly operators?: readonly { name: string; rows_out: number; elapsed_ms: number }[];
}

/** The inputs of the figures besides the counters. */
export interface QueryProgress {
  readonly mode: CompilerMode;
  /**
   * The reason for the interpreter's run, or that the engines disagree; null if neither applies.
   */
  reason: FallbackReason | null;
  /** Taken from the text. A series named by all its labels counts as exact too. */
  selectorMode: SelectorMode;
  /** performance.now() at the start, with the tree, with the plan and after the last row. */
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

export function selectorModeOf({ target }: PlannedSelection): SelectorMode {
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
