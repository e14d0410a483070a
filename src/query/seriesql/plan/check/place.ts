/** What checking needs to know about the statement and about the place of an expression. */

import type { AppError } from '../../../../common/errors/app-error.js';
import type { TimestampUnit } from '../../../../common/model/timestamp-unit.js';
import type { Expression } from '../../language/ast.js';
import type { QueryText } from '../../language/query-text.js';
import type { StaticType } from '../../../values/value.js';
import type { ExprIds } from './expr-ids.js';
import type { Evaluator } from '../evaluate.js';
import type { Aggregate, Expr, Fill, Window } from '../plan.js';

/** What is the same for the whole statement. */
export interface CheckContext {
  readonly source: QueryText;
  readonly unit: TimestampUnit;
  /** One clock reading per query. */
  readonly now: bigint;
  /** How often it was read. */
  readonly nowCount: number;
  readonly evaluator: Evaluator;
  /** A hint for a function that is not of this language; its name is in small letters. */
  readonly foreignFunction?: ((name: string) => string | undefined) | undefined;
}

/** What the place of an expression allows. Aggregates and windows found are added to the lists. */
export interface Place {
  /** Whether there is a FROM. */
  readonly hasColumns: boolean;
  /** Aliases that may stand here. */
  readonly aliases: ReadonlyMap<string, Expr>;
  /** Null: none may stand here. */
  readonly aggregates: Aggregate[] | null;
  readonly windows: Window[] | null;
  /** Why aggregates or windows are not allowed, when they are not. */
  readonly refusal: string;
  readonly fill: Fill | null;
  /** Whether it is known that no row has a time before `bound`. */
  readonly startsFrom: (bound: bigint) => boolean;
}

/** Nothing but constants. */
export const constantPlace: Place = {
  hasColumns: false,
  aliases: new Map(),
  aggregates: null,
  windows: null,
  refusal: 'cannot be used here: only constants are allowed',
  fill: null,
  startsFrom: () => false,
};

/** What the parts of the checker know of one another. */
export interface ExpressionChecker {
  readonly context: CheckContext;
  readonly ids: ExprIds;
  check(node: Expression, place: Place): Expr;
  /**
   * Counts an expression that stands in one more place, at `offset`: the work on a plan follows
   * its size with everything written out.
   */
  repeat(expr: Expr, offset: number): void;
  /** A pattern is fixed text, since it is compiled once. */
  pattern(node: Expression): string;
  /** Gives expressions one type: integers become floats beside floats. */
  oneType(
    exprs: readonly Expr[],
    offset: number,
  ): { readonly type: StaticType; readonly exprs: readonly Expr[] };
  /** `validation_failed`. */
  fail(offset: number, message: string, hint?: string): AppError;
  /** The same, after which no more is looked for: all that follows would be wrong too. */
  failForGood(offset: number, message: string, hint?: string): AppError;
}

/** A type with its article, for sentences. */
export function named(type: StaticType): string {
  if (type === 'null') return 'null';
  if (type === 'string') return 'text';
  return type === 'integer' ? 'an integer' : `a ${type}`;
}
