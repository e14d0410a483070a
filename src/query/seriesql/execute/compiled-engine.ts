/**
 * The port for a compiled engine: it takes a logical plan or says why it cannot. The interpreter
 * runs the plans that it refuses.
 */

import type { OutputColumn, ReadingPlan, SelectPlan, ShowPlan } from '../plan/plan.js';
import type { Execution, QueryCounters, RowLayout } from './execution.js';
import type { Guard } from '../../limits/guard.js';

/**
 * The specification's set. These are not reachable as a fallback today: `unsupported_fill` and
 * `unsupported_tag_filter`, since every FILL and every condition on labels is taken;
 * `unsupported_projection`, since every item is taken; `series_not_found` and `ambiguous_selector`,
 * since the interpreter fails with them too. docs/seriesql.md says the same.
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
  /** Valid until the next answer, which reuses this memory. */
  readonly text: Uint8Array;
  readonly rowCount: number;
}

/** A query that wants its answer in this turn. */
interface ShortCall {
  readonly guard: Guard;
  readonly counters: QueryCounters;
  /** The identity of the function identifies the layout. */
  readonly as: LayoutOf;
}

export interface CompiledQuery {
  /** Throws `series_not_found`, `ambiguous_selector` and any error of the guard or the storage. */
  run(guard: Guard, counters: QueryCounters): Promise<Execution>;
  /** The same with rows as text. Missing if rows must first be made from values. */
  readonly runAsText?: (guard: Guard, counters: QueryCounters, as: LayoutOf) => Promise<Execution>;
  /**
   * The whole answer in this turn; null if it would have to wait: call run() then. The plan may
   * differ from the compiled one in its selection and its times only. Throws the errors of run().
   */
  readonly answerNow?: (plan: ReadingPlan, call: ShortCall) => ShortAnswer | null;
  /** The compiled query of a plan that differs only in its selection and its times. */
  readonly reading?: (plan: ReadingPlan) => CompiledQuery;
}

export interface CompiledEngine {
  /** The result depends on the plan alone, and may run several times. */
  tryCompile(plan: SelectPlan | ShowPlan): CompiledQuery | FallbackReason;
}
