/** A rule is a pure check of a statement that finds at most one problem. */

import type { SelectNode } from '../../language/ast.js';
import type { Span } from '../../language/query-text.js';
import type { PlannedAggregate, Expr, Fill, Interval, Shape, Window } from '../plan.js';
import type { WhereAnswers } from '../select-shape.js';

export interface Problem {
  readonly message: string;
  readonly hint?: string;
  /** The part of the text with the problem. The error points at its start. */
  readonly span: Span;
}

/** A SELECT with checked expressions. */
export interface CheckedSelect {
  readonly node: SelectNode;
  /** True with GROUP BY, or with an aggregate. */
  readonly isGrouped: boolean;
  readonly keys: readonly Expr[];
  readonly aggregates: readonly PlannedAggregate[];
  readonly windows: readonly Window[];
  /** Null without FILL, and for `fill(none)`. */
  readonly fill: Fill | null;
  readonly where: WhereAnswers;
}

/** A WHERE clause with checked expressions. */
export interface CheckedWhere {
  readonly span: Span;
  /** The offset of the first condition on more than time and labels; null if there is none. */
  readonly extra: number | null;
  readonly intervals: readonly Interval[];
}

export type Rule<Subject> = (subject: Subject) => Problem | null;

export type SelectRule = Rule<CheckedSelect>;

/** A rule that depends on the shape of the read. */
export type ReadRule = (select: CheckedSelect, shape: Shape['kind']) => Problem | null;
