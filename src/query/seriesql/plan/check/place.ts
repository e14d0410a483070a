/** The context of a check: the statement and the place of an expression. */

import type { AppError } from '../../../../common/errors/app-error.js';
import type { DatabaseTime, TimestampUnit } from '../../../../common/model/timestamp-unit.js';
import type { Expression } from '../../language/ast.js';
import type { QueryText } from '../../language/query-text.js';
import type { StaticType } from '../../../values/value.js';
import type { ExprIds } from './expr-ids.js';
import type { Evaluator } from '../evaluate.js';
import type { PlannedAggregate, Expr, Fill, Window } from '../plan.js';

/** The context shared by the whole statement. */
export interface CheckContext {
  readonly source: QueryText;
  readonly unit: TimestampUnit;
  /** The query reads the clock once. */
  readonly now: DatabaseTime;
  /** The number of reads of `now`. */
  readonly nowCount: number;
  readonly evaluator: Evaluator;
  /** A hint for a function of another language. The name is in lower case. */
  readonly foreignFunction?: ((name: string) => string | undefined) | undefined;
  /** Labels of the metric or family after FROM, for hints. Missing if nobody asked for them. */
  readonly labelKeys?: readonly string[] | undefined;
}

/** The rules for an expression at its place. Checks add aggregates and windows to the lists. */
export interface ExprPlace {
  /** True if there is a FROM. */
  readonly hasColumns: boolean;
  /** The aliases allowed here. */
  readonly aliases: ReadonlyMap<string, Expr>;
  /** Null: not allowed here. */
  readonly aggregates: PlannedAggregate[] | null;
  readonly windows: Window[] | null;
  /** The reason why aggregates or windows are not allowed; empty otherwise. */
  readonly refusal: string;
  readonly fill: Fill | null;
  /** True if no row is known to have a time before `bound`. */
  readonly startsFrom: (bound: bigint) => boolean;
}

/** Allows only constants. */
export const constantPlace: ExprPlace = {
  hasColumns: false,
  aliases: new Map(),
  aggregates: null,
  windows: null,
  refusal: 'cannot be used here: only constants are allowed',
  fill: null,
  startsFrom: () => false,
};

/** The interface between the parts of the checker. */
export interface ExpressionChecker {
  readonly context: CheckContext;
  readonly ids: ExprIds;
  check(node: Expression, place: ExprPlace): Expr;
  /**
   * Counts an expression again that is repeated at `offset`. The work on a plan depends on its size
   * with everything written out.
   */
  repeat(expr: Expr, offset: number): void;
  /** A pattern must be a constant text, since it is compiled once. */
  pattern(node: Expression): string;
  /** Gives expressions one type. Beside floats, integers become floats. */
  oneType(
    exprs: readonly Expr[],
    offset: number,
  ): { readonly type: StaticType; readonly exprs: readonly Expr[] };
  /** Makes a `validation_failed` error. */
  fail(offset: number, message: string, hint?: string): AppError;
  /** The same, and ends the search for errors: everything after it would be wrong too. */
  failForGood(offset: number, message: string, hint?: string): AppError;
}

/** A type with its article, for sentences. */
export function named(type: StaticType): string {
  if (type === 'null') return 'null';
  if (type === 'string') return 'text';
  return type === 'integer' ? 'an integer' : `a ${type}`;
}
