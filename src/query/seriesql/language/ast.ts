/** The syntax tree of a statement: names are unresolved and types unknown. */

import type { Nanoseconds } from '../../../common/model/timestamp-unit.js';
import type { Span } from './query-text.js';
import type { DurationLiteral } from './time-literal.js';

export type BinaryOperator =
  '+' | '-' | '*' | '/' | '%' | '=' | '!=' | '<' | '<=' | '>' | '>=' | '=~' | '!~';

export interface NamePart {
  readonly text: string;
  readonly isQuoted: boolean;
}

export type Expression = { readonly span: Span } & (
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  | { readonly kind: 'duration'; readonly value: DurationLiteral }
  | { readonly kind: 'timestamp'; readonly value: Nanoseconds }
  | { readonly kind: 'name'; readonly parts: readonly NamePart[] }
  | {
      readonly kind: 'call';
      /** The name as written. */
      readonly name: string;
      readonly args: readonly Expression[];
      readonly isStar: boolean;
      readonly isDistinct: boolean;
    }
  | { readonly kind: 'negate'; readonly operand: Expression }
  | { readonly kind: 'plus'; readonly operand: Expression }
  | { readonly kind: 'not'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly op: BinaryOperator;
      /** The offset of the operator. */
      readonly opStart: number;
      readonly left: Expression;
      readonly right: Expression;
    }
  /** Flat, so that a long row of conditions is not a deep tree. */
  | { readonly kind: 'and' | 'or'; readonly items: readonly Expression[] }
  | {
      readonly kind: 'in';
      readonly operand: Expression;
      readonly items: readonly Expression[];
      readonly negated: boolean;
    }
  | {
      readonly kind: 'between';
      readonly operand: Expression;
      readonly low: Expression;
      readonly high: Expression;
      readonly negated: boolean;
    }
  | {
      readonly kind: 'like';
      readonly operand: Expression;
      readonly pattern: Expression;
      readonly negated: boolean;
    }
  | { readonly kind: 'isNull'; readonly operand: Expression; readonly negated: boolean }
  | {
      readonly kind: 'case';
      readonly branches: readonly { readonly when: Expression; readonly then: Expression }[];
      readonly otherwise: Expression | null;
    }
  | {
      readonly kind: 'cast';
      readonly operand: Expression;
      readonly target: 'integer' | 'float' | 'string';
    }
);

/** A call of a function. */
export type CallNode = Extract<Expression, { kind: 'call' }>;

export interface Matcher {
  readonly key: string;
  /** True for `metric` without quotes: the metric name instead of a label. */
  readonly isMetric: boolean;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
  readonly span: Span;
  readonly valueStart: number;
}

export type SourceNode = { readonly span: Span } & (
  | { readonly kind: 'by_id'; readonly ids: readonly bigint[] }
  | {
      readonly kind: 'name';
      readonly name: string;
      /** True if the source ends in `.*`, which `name` omits. */
      readonly isFamily: boolean;
      readonly matchers: readonly Matcher[];
    }
);

export type SelectItemNode = { readonly span: Span } & (
  | { readonly kind: 'star' }
  | { readonly kind: 'expression'; readonly expr: Expression; readonly alias: string | null }
);

export type FillNode = { readonly span: Span } & (
  | { readonly kind: 'none' | 'null' | 'previous' | 'linear' }
  | { readonly kind: 'expression'; readonly expr: Expression }
);

export interface SelectNode {
  readonly kind: 'select';
  readonly span: Span;
  readonly items: readonly SelectItemNode[];
  readonly from: SourceNode | null;
  readonly where: Expression | null;
  readonly groupBy: readonly Expression[];
  readonly fill: FillNode | null;
  readonly having: Expression | null;
  readonly orderBy: readonly { readonly expr: Expression; readonly descending: boolean }[];
  readonly limit: bigint | null;
  readonly offset: bigint;
}

export interface InsertNode {
  readonly kind: 'insert';
  readonly span: Span;
  readonly name: string;
  readonly labels: readonly Matcher[];
  readonly rows: readonly { readonly time: Expression; readonly value: Expression }[];
}

export interface DeleteNode {
  readonly kind: 'delete';
  readonly span: Span;
  readonly from: SourceNode;
  /** Null: all samples, at any time. */
  readonly where: Expression | null;
}

export interface ShowNode {
  readonly kind: 'show';
  readonly span: Span;
  readonly what: 'metrics' | 'series' | 'labels' | 'values';
  readonly key: string | null;
  readonly from: SourceNode | null;
  readonly where: Expression | null;
  readonly limit: bigint | null;
}

export interface ExplainNode {
  readonly kind: 'explain';
  readonly span: Span;
  readonly mode: 'plan' | 'analyze' | 'bytecode' | 'tables_used';
  readonly statement: Statement;
}

export type Statement = SelectNode | InsertNode | DeleteNode | ShowNode | ExplainNode;
