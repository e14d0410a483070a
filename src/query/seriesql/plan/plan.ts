/**
 * The logical plan of a statement: names resolved, types checked, constants folded, the selection
 * taken out of WHERE. Both engines start here. Times and durations are integers in the database's
 * unit.
 */

import type { TimeRange } from '../../../common/model/time-range.js';
import type { DatabaseTime } from '../../../common/model/timestamp-unit.js';
import type { StaticType, Value, ValueType } from '../../values/value.js';
import type { AggregateName } from '../functions/aggregate-functions.js';
import type { ArithmeticOp } from '../functions/arithmetic.js';
import type { ScalarName } from '../functions/scalar-functions.js';
import type { WindowExtent } from '../functions/window-function.js';
import type { WindowName } from '../functions/window-functions.js';

// Selection of series.

/** A condition on one label or on the metric name. A missing label satisfies no term. */
export interface PlannedLabelTerm {
  readonly on: { readonly kind: 'label'; readonly key: string } | { readonly kind: 'metric' };
  /**
   * `in`: equals one of `values`; `notIn`: equals none. `match` and `notMatch` have one RE2
   * pattern.
   */
  readonly op: 'in' | 'notIn' | 'match' | 'notMatch';
  readonly values: readonly string[];
}

export type SelectionTarget =
  /** Unknown ids are ignored. */
  | { readonly kind: 'by_id'; readonly ids: readonly bigint[] }
  | { readonly kind: 'metric'; readonly name: string }
  /** Every metric whose name begins with `prefix`, which ends in a dot. */
  | { readonly kind: 'family'; readonly prefix: string }
  | { readonly kind: 'all' };

/** A series is selected if it is in the target, every term holds, and every condition is true. */
export interface PlannedSelection {
  readonly target: SelectionTarget;
  readonly terms: readonly PlannedLabelTerm[];
  /** The conditions that terms cannot express. They read only labels, `metric` and `series_id`. */
  readonly conditions: readonly Expr[];
}

// Times.

/** Both ends inclusive; null is open. */
export interface Interval {
  readonly start: DatabaseTime | null;
  readonly end: DatabaseTime | null;
}

// Expressions.

export type ComparisonOp = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** Half-open pieces of time without gaps. The start identifies a bucket. */
export type TimeBucket =
  /** Starts at origin + k × width. */
  | { readonly kind: 'fixed'; readonly width: DatabaseTime; readonly origin: DatabaseTime }
  /** Months counted from January 1970, in a time zone or UTC. */
  | { readonly kind: 'months'; readonly count: number; readonly zone: string | null }
  /** Local days counted from 1970-01-01 plus `offset` days. */
  | {
      readonly kind: 'days';
      readonly count: number;
      readonly offset: number;
      readonly zone: string;
    };

interface ExprBase {
  readonly type: StaticType;
  readonly nullable: boolean;
}

export type Expr = ExprBase &
  (
    | { readonly kind: 'literal'; readonly value: Value }
    | { readonly kind: 'column'; readonly column: 'time' | 'value' | 'metric' | 'series_id' }
    | { readonly kind: 'label'; readonly key: string }
    /** The canonical JSON text of all labels; only `*` creates it. */
    | { readonly kind: 'labels' }
    | { readonly kind: 'negate'; readonly operand: Expr }
    | {
        readonly kind: 'arithmetic';
        readonly op: ArithmeticOp;
        readonly left: Expr;
        readonly right: Expr;
      }
    | {
        readonly kind: 'compare';
        readonly op: ComparisonOp;
        readonly left: Expr;
        readonly right: Expr;
      }
    | { readonly kind: 'logical'; readonly op: 'and' | 'or'; readonly items: readonly Expr[] }
    | { readonly kind: 'not'; readonly operand: Expr }
    | { readonly kind: 'isNull'; readonly operand: Expr; readonly negated: boolean }
    | {
        readonly kind: 'in';
        readonly operand: Expr;
        readonly items: readonly Expr[];
        readonly negated: boolean;
      }
    | {
        readonly kind: 'like';
        readonly operand: Expr;
        readonly pattern: Expr;
        readonly negated: boolean;
      }
    /** RE2 syntax, not anchored. */
    | {
        readonly kind: 'match';
        readonly operand: Expr;
        readonly pattern: string;
        readonly negated: boolean;
      }
    | { readonly kind: 'call'; readonly name: ScalarName; readonly args: readonly Expr[] }
    | { readonly kind: 'bucket'; readonly bucket: TimeBucket; readonly operand: Expr }
    | {
        readonly kind: 'case';
        readonly branches: readonly { readonly when: Expr; readonly then: Expr }[];
        readonly otherwise: Expr;
      }
    | { readonly kind: 'cast'; readonly operand: Expr; readonly target: CastTarget }
    /** After grouping: a key or an aggregate of the plan, by its index. */
    | { readonly kind: 'key'; readonly index: number }
    | { readonly kind: 'aggregate'; readonly index: number }
    /** A window of the plan, by its index. */
    | { readonly kind: 'window'; readonly index: number }
  );

type CastTarget = 'integer' | 'float' | 'string';

export interface PlannedAggregate {
  readonly name: AggregateName;
  /** Null for `count(*)`. */
  readonly argument: Expr | null;
  readonly isDistinct: boolean;
  /** The q of `percentile`, in 0…1; 0 for other aggregates. */
  readonly quantile: number;
  readonly type: ValueType;
  readonly nullable: boolean;
}

/** Computed per series, by time, over the rows that pass WHERE. */
export interface Window extends WindowExtent {
  readonly name: WindowName;
  /** May read windows with a smaller index. */
  readonly argument: Expr;
  readonly type: ValueType;
}

// Statements.

export interface OutputColumn {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
}

/** `expandStar` replaces `*` by columns once the number of series is known. */
export type SelectItem =
  { readonly kind: 'star' } | (OutputColumn & { readonly kind: 'column'; readonly expr: Expr });

export type Fill =
  | { readonly kind: 'null' | 'previous' | 'linear' }
  | { readonly kind: 'constant'; readonly value: Value };

export interface OrderKey {
  readonly expr: Expr;
  readonly descending: boolean;
}

/** The step between reading and projection. */
export type Shape =
  /** No FROM: one row. */
  | { readonly kind: 'constant' }
  /** Labels, `metric` and `series_id` only: one row per series, by id. */
  | { readonly kind: 'series' }
  /** Samples, merged by time and id. */
  | { readonly kind: 'raw'; readonly windows: readonly Window[] }
  | {
      readonly kind: 'grouped';
      /** Empty: one row for everything. */
      readonly keys: readonly Expr[];
      readonly aggregates: readonly PlannedAggregate[];
      /** `bucketKey` is the index of the key that is a `time_bucket` of `time`. */
      readonly fill: { readonly how: Fill; readonly bucketKey: number } | null;
      /** The key indexes that order rows without ORDER BY. */
      readonly defaultOrder: readonly number[];
    };

export interface SelectPlan {
  readonly kind: 'select';
  /** Null without FROM. */
  readonly selection: PlannedSelection | null;
  /** Disjoint, ascending; a sample must lie in one of them. If empty, nothing matches. */
  readonly intervals: readonly Interval[];
  readonly comparesTimeToDuration: boolean;
  /** The rest of WHERE, tested per row; null if nothing is left. */
  readonly filter: Expr | null;
  readonly shape: Shape;
  readonly items: readonly SelectItem[];
  /** True if the items tell which series a row belongs to. */
  readonly identifiesSeries: boolean;
  /** A condition over keys and aggregates. */
  readonly having: Expr | null;
  readonly orderBy: readonly OrderKey[];
  readonly limit: bigint | null;
  readonly offset: bigint;
}

/** A SELECT with a selection. */
export type ReadingPlan = SelectPlan & { readonly selection: PlannedSelection };

export interface InsertPlan {
  readonly kind: 'insert';
  readonly name: string;
  readonly labels: readonly (readonly [string, string])[];
  readonly samples: readonly { readonly time: bigint; readonly value: number }[];
}

export interface DeletePlan {
  readonly kind: 'delete';
  readonly selection: PlannedSelection;
  /** Disjoint, ascending, both ends inclusive. */
  readonly ranges: readonly TimeRange[];
}

export interface ShowPlan {
  readonly kind: 'show';
  readonly what: 'metrics' | 'series' | 'labels' | 'values';
  /** The key of `show label values`. */
  readonly key: string | null;
  readonly selection: PlannedSelection;
  /** A series must have a sample in one of them; [open, open] means no condition. */
  readonly intervals: readonly Interval[];
  readonly limit: bigint | null;
}

export interface ExplainPlan {
  readonly kind: 'explain';
  readonly mode: 'plan' | 'analyze' | 'bytecode' | 'tables_used';
  readonly statement: SelectPlan | InsertPlan | DeletePlan | ShowPlan;
}

export type StatementPlan = SelectPlan | InsertPlan | DeletePlan | ShowPlan | ExplainPlan;

/** The columns of `*` for one series or for several. */
function starColumns(isOneSeries: boolean): readonly Extract<SelectItem, { expr: Expr }>[] {
  const time = sampleColumn('time', 'timestamp');
  const value = sampleColumn('value', 'float');
  if (isOneSeries) return [time, value];
  const labels = {
    kind: 'column',
    name: 'labels',
    type: 'string',
    nullable: false,
    expr: { kind: 'labels', type: 'string', nullable: false },
  } as const;
  return [
    time,
    sampleColumn('metric', 'string'),
    sampleColumn('series_id', 'integer'),
    labels,
    value,
  ];
}

function sampleColumn(
  column: 'time' | 'value' | 'metric' | 'series_id',
  type: ValueType,
): Extract<SelectItem, { expr: Expr }> {
  // A value that is NaN is null.
  const nullable = column === 'value';
  const expr: Expr = { kind: 'column', column, type, nullable };
  return { kind: 'column', name: column, type, nullable, expr };
}

export type ColumnItem = Extract<SelectItem, { kind: 'column' }>;

/** The items with `*` expanded. A constant or series select has no `*`. */
export function expandStar(plan: SelectPlan, seriesCount: number): readonly ColumnItem[] {
  return plan.items.flatMap((item) =>
    item.kind === 'star' ? starColumns(seriesCount === 1) : [item],
  );
}
