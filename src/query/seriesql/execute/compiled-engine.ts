/**
 * The place where a compiled engine plugs in: it takes a logical plan or says why it cannot. What
 * it does not take falls back to the interpreter.
 */

import type { OutputColumn, ReadingPlan, SelectPlan, ShowPlan } from '../plan/plan.js';
import type { Execution, QueryCounters, RowLayout } from './execution.js';
import type { Guard } from '../../limits/guard.js';

/**
 * The specification's set. Not reachable as a fallback today: `unsupported_fill` and
 * `unsupported_tag_filter`, since every FILL and every condition on labels is taken;
 * `unsupported_projection`, since every item is; `series_not_found` and `ambiguous_selector`, with
 * which the interpreter would end too. docs/seriesql.md says the same.
 */
export type FallbackReason =
  | 'unsupported_statement'
  | 'unsupported_fill'
  | 'unsupported_tag_filter'
  | 'unsupported_grouping'
  | 'unsupported_aggregate'
  | 'unsupported_projection'
  | 'unsupported_ordering'
  | 'unsupported_predicate'
  | 'unsupported_expression'
  | 'unsupported_function'
  | 'series_not_found'
  | 'ambiguous_selector'
  | 'shadow_mismatch';

export type LayoutOf = (columns: readonly OutputColumn[]) => RowLayout;

/** All rows of a query. */
export interface ShortAnswer {
  readonly columns: readonly OutputColumn[];
  /** In memory that the next answer takes. */
  readonly text: Uint8Array;
  readonly rowCount: number;
}

/** Of a query that is asked at once. */
interface ShortCall {
  readonly guard: Guard;
  readonly counters: QueryCounters;
  /** A layout is known by its identity. */
  readonly as: LayoutOf;
}

export interface CompiledQuery {
  /** Throws `series_not_found`, `ambiguous_selector` and what ends any query. */
  run(guard: Guard, counters: QueryCounters): Promise<Execution>;
  /** The same with rows as text; missing where rows must be made of values first. */
  readonly runAsText?: (guard: Guard, counters: QueryCounters, as: LayoutOf) => Promise<Execution>;
  /**
   * All of it in this turn, of this plan or one that differs in its selection and its times alone,
   * where nothing has to be waited for; null: it must be run. Throws as run() rejects.
   */
  readonly answerNow?: (plan: ReadingPlan, call: ShortCall) => ShortAnswer | null;
  /** The same of a plan that differs in its selection and its times alone. */
  readonly reading?: (plan: ReadingPlan) => CompiledQuery;
}

export interface CompiledEngine {
  /** What it gives follows from the plan alone, and may be run again. */
  tryCompile(plan: SelectPlan | ShowPlan): CompiledQuery | FallbackReason;
}
