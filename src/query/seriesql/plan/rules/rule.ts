/** What a rule is: a pure look at what is known of a statement, and at most one thing wrong. */

import type { SelectNode } from '../../language/ast.js';
import type { Span } from '../../language/query-text.js';
import type { Aggregate, Expr, Fill, Interval, Shape, Window } from '../plan.js';
import type { WhereAnswers } from '../select-shape.js';

export interface Problem {
  readonly message: string;
  readonly hint?: string;
  /** Where it begins, and the part of the text that it is about. */
  readonly span: Span;
}

/** A SELECT whose expressions are checked. */
export interface CheckedSelect {
  readonly node: SelectNode;
  /** GROUP BY, or an aggregate without it. */
  readonly isGrouped: boolean;
  readonly keys: readonly Expr[];
  readonly aggregates: readonly Aggregate[];
  readonly windows: readonly Window[];
  /** Null without FILL, and for `fill(none)`. */
  readonly fill: Fill | null;
  readonly where: WhereAnswers;
}

/** A WHERE on its own, whose expressions are checked. */
export interface CheckedWhere {
  readonly span: Span;
  /** Where the first condition begins that is on more than time and labels; null: none is. */
  readonly extra: number | null;
  readonly intervals: readonly Interval[];
}

export type Rule<Subject> = (subject: Subject) => Problem | null;

export type SelectRule = Rule<CheckedSelect>;

/** A rule that needs to know what is read. */
export type ReadRule = (select: CheckedSelect, shape: Shape['kind']) => Problem | null;
