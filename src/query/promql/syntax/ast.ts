/** The syntax tree of a PromQL expression. */

import type { SeriesMatcher } from '../../../common/model/series-matcher.js';
import type { Milliseconds } from '../../../common/model/timestamp-unit.js';

/** A range of the text in UTF-16 units; `end` is exclusive. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

export type PromqlType = 'scalar' | 'vector' | 'matrix' | 'string';

/** What a function takes and returns. */
export interface Signature {
  readonly args: readonly PromqlType[];
  /** How often the last argument may occur beyond `args` without it; null: any number of times. */
  readonly optional: number | null;
  readonly returns: PromqlType;
  /** True if Prometheus 3.5 offers the function only behind a flag. */
  readonly isExperimental: boolean;
}

interface Node {
  readonly place: TextPlace;
}

export interface NumberLiteral extends Node {
  readonly kind: 'number';
  readonly value: number;
  /** True if written as a duration, such as `1m30s`, whose value is 90. */
  readonly isDuration: boolean;
}

interface StringLiteral extends Node {
  readonly kind: 'string';
  readonly value: string;
}

/** A duration in seconds: a number, or arithmetic of durations. */
export type Duration = NumberLiteral | DurationArithmetic;

export interface DurationArithmetic extends Node {
  readonly kind: 'durationArithmetic';
  readonly op: '+' | '-' | '*' | '/' | '%' | '^';
  /** Null: a sign before `right`. */
  readonly left: Duration | null;
  readonly right: Duration;
  readonly isInParens: boolean;
}

/** `@ 5`, in milliseconds, or `@ start()`. */
export type AtModifier = { readonly ms: Milliseconds } | 'start' | 'end';

interface Moved {
  /** Null if it was not written. */
  readonly offset: Duration | null;
  readonly at: AtModifier | null;
}

export interface VectorSelector extends Node, Moved {
  readonly kind: 'selector';
  /** The name before the braces; '' if there is none. */
  readonly name: string;
  /** All matchers, including the matcher of the name. */
  readonly matchers: readonly SeriesMatcher[];
}

/** `of[range]`. The selector holds `offset` and `@`. */
export interface MatrixSelector extends Node {
  readonly kind: 'matrix';
  readonly of: VectorSelector;
  readonly range: Duration;
}

export interface Subquery extends Node, Moved {
  readonly kind: 'subquery';
  readonly of: PromqlExpression;
  readonly range: Duration;
  /** Null: the default step of subqueries. */
  readonly step: Duration | null;
}

interface Parens extends Node {
  readonly kind: 'parens';
  readonly of: PromqlExpression;
}

export interface Unary extends Node {
  readonly kind: 'unary';
  readonly op: '+' | '-';
  readonly of: PromqlExpression;
}

export type PromqlArithmeticOp = '+' | '-' | '*' | '/' | '%' | '^' | 'atan2';
export type PromqlComparisonOp = '==' | '!=' | '<' | '<=' | '>' | '>=';
export type SetOp = 'and' | 'or' | 'unless';

export interface VectorMatching {
  readonly cardinality: 'oneToOne' | 'manyToOne' | 'oneToMany' | 'manyToMany';
  /** True for `on`, false for `ignoring`. */
  readonly isOn: boolean;
  readonly labels: readonly string[];
  /** The labels of the one side that group_left or group_right names. */
  readonly include: readonly string[];
}

export interface PromqlBinary extends Node {
  readonly kind: 'binary';
  readonly op: PromqlArithmeticOp | PromqlComparisonOp | SetOp;
  readonly left: PromqlExpression;
  readonly right: PromqlExpression;
  /** True if `bool` follows a comparison. */
  readonly isBool: boolean;
  /** The type of the result. */
  readonly type: 'scalar' | 'vector';
  /** Null unless both sides are vectors. */
  readonly matching: VectorMatching | null;
}

export interface PromqlCall extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly signature: Signature;
  readonly args: readonly PromqlExpression[];
}

type AggregateOp =
  | ('sum' | 'avg' | 'min' | 'max' | 'count' | 'group' | 'stddev' | 'stdvar')
  | ('topk' | 'bottomk' | 'quantile' | 'count_values' | 'limitk' | 'limit_ratio');

export interface Aggregation extends Node {
  readonly kind: 'aggregation';
  readonly op: AggregateOp;
  readonly of: PromqlExpression;
  /**
   * The parameter of topk, bottomk, quantile, count_values, limitk or limit_ratio; otherwise null.
   */
  readonly parameter: PromqlExpression | null;
  /** True for `without` these labels, false for `by`. */
  readonly isWithout: boolean;
  readonly labels: readonly string[];
}

export type PromqlExpression =
  | (NumberLiteral | StringLiteral | VectorSelector | MatrixSelector | Subquery)
  | (Parens | Unary | PromqlBinary | PromqlCall | Aggregation);
