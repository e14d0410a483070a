/** Lowers a grouped plan for the addon, or says why it cannot. */

import { databaseTime, type TimestampUnit } from '../../../common/model/timestamp-unit.js';
import { computationOf } from '../functions/computation.js';
import { NotLowered, registerType, type Register } from '../functions/lowering.js';
import { readsSamples } from '../plan/where.js';
import { TextPacker } from '../../values/text-packer.js';

import { ExpressionBuilder, type LoweredExpression } from './expression-builder.js';
import { ExpressionLowering, kMonthsMax } from './lower-expression.js';
import { lowerText } from './lower-text.js';

import type { GroupAggregate, GroupKey, GroupQuery } from '../../../storage/storage.js';
import type { AggregateLowering } from '../functions/aggregate-function.js';
import type { PlannedAggregate, Expr, SelectPlan } from '../plan/plan.js';
import type { FallbackReason } from '../execute/compiled-engine.js';
import type { GroupedShape } from '../execute/groups.js';
import type { KeySource } from './series-columns.js';

/** The parts of a group query that follow from the plan alone. */
export type LoweredGroups = Pick<GroupQuery, 'aggregates' | 'order'> &
  LoweredKeys & {
    readonly expressions: LoweredExpression | null;
  };

type LoweredKeys = Pick<GroupQuery, 'keys' | 'bucket'> & {
  readonly keyValues: LoweredExpression | null;
  readonly keyColumns: readonly KeySource[];
};

export function lowerGroups(
  plan: SelectPlan,
  shape: GroupedShape,
  unit: TimestampUnit,
): LoweredGroups | FallbackReason {
  const keys = lowerPlainKeys(plan, shape) ?? lowerKeys(shape, unit);
  if (keys === null) return 'unsupported_grouping';
  const aggregates: GroupAggregate[] = [];
  const builder = new ExpressionBuilder();
  const lowering = new ExpressionLowering(builder, unit);
  for (const aggregate of shape.aggregates) {
    const lowered = lowerAggregate(aggregate, lowering);
    if (typeof lowered === 'string') return lowered;
    aggregates.push(lowered);
  }
  return { ...keys, aggregates, expressions: builder.build(), order: shape.defaultOrder };
}

/** Keys that each series has without samples, and at most one bucket; null if there are others. */
function lowerPlainKeys(plan: SelectPlan, shape: GroupedShape): LoweredKeys | null {
  const keys: GroupKey[] = [];
  const keyColumns: KeySource[] = [];
  let bucket: LoweredBucket | null = null;
  for (const expr of shape.keys) {
    const isBucket = expr.kind === 'bucket';
    if (isBucket && bucket !== null) return null;
    if (isBucket) bucket = lowerBucket(expr);
    if (isBucket && bucket === null) return null;
    const key = isBucket
      ? ({ kind: 'bucket', label: '' } as const)
      : lowerSeriesKey(expr, keyColumns);
    if (key === null) return null;
    keys.push(key);
  }
  const most = mostBuckets(plan, shape);
  const limited = bucket === null ? null : { ...bucket, most };
  return { keys, bucket: limited, keyValues: null, keyColumns };
}

/** Keys, some of them computed per sample; null if the addon cannot compute one. */
function lowerKeys({ keys }: GroupedShape, unit: TimestampUnit): LoweredKeys | null {
  const builder = new ExpressionBuilder();
  const lowering = new ExpressionLowering(builder, unit);
  const keyColumns: KeySource[] = [];
  const lowered: GroupKey[] = [];
  for (const expr of keys) {
    const key = lowerSeriesKey(expr, keyColumns) ?? lowerValueKey(expr, lowering);
    if (key === null) return null;
    lowered.push(key);
  }
  return { keys: lowered, bucket: null, keyValues: builder.build(), keyColumns };
}

function lowerValueKey(expr: Expr, lowering: ExpressionLowering): GroupKey | null {
  try {
    const text = registerType(expr.type) === null ? lowerText(expr, lowering) : null;
    if (text !== null) {
      const place = lowering.builder.output(text.register);
      const packer = new TextPacker();
      for (const one of text.texts) packer.add(one);
      return { kind: 'expression', place, texts: packer.texts() };
    }
    // A text chosen among the texts of series is found by its rank.
    const place = lowering.builder.output(lowering.lower(expr));
    return { kind: 'expression', place, texts: null };
  } catch (error) {
    if (error instanceof NotLowered) return null;
    throw error;
  }
}

const noTime = databaseTime(0n);

type LoweredBucket = Omit<NonNullable<GroupQuery['bucket']>, 'most'>;

/** A time bucket of a fixed width, or of months in UTC; null for any other. */
function lowerBucket(expr: Extract<Expr, { kind: 'bucket' }>): LoweredBucket | null {
  const { bucket, operand } = expr;
  if (!isColumn(operand, 'time')) return null;
  if (bucket.kind === 'fixed') return { width: bucket.width, origin: bucket.origin, months: 0 };
  if (bucket.kind === 'days' || bucket.zone !== null || bucket.count > kMonthsMax) return null;
  return { width: noTime, origin: noTime, months: bucket.count };
}

/** Null if it reads samples. A key that the index does not hold is appended to `columns`. */
function lowerSeriesKey(expr: Expr, columns: KeySource[]): GroupKey | null {
  if (expr.kind === 'label') return { kind: 'label', label: expr.key };
  if (expr.kind === 'column' && (expr.column === 'metric' || expr.column === 'series_id')) {
    return { kind: expr.column, label: '' };
  }
  if (readsSamples(expr)) return null;
  return { kind: 'column', place: columns.push({ expr, type: registerType(expr.type) }) - 1 };
}

function isColumn(expr: Expr | null, column: string): boolean {
  return expr?.kind === 'column' && expr.column === column;
}

function lowerAggregate(
  aggregate: PlannedAggregate,
  lowering: ExpressionLowering,
): GroupAggregate | FallbackReason {
  const { argument } = aggregate;
  const { lower } = computationOf(aggregate);
  if (lower === null) return 'unsupported_aggregate';
  const { name, operand } = lower;
  const quantile = lower.quantile === 'given' ? aggregate.quantile : (lower.quantile ?? 0);
  if (isColumn(argument, 'value')) return { name, quantile, argument: -1 };
  // Columns other than `value` are never null.
  const isOfRows = operand === 'presence' && argument?.kind === 'column';
  if (argument === null || isOfRows) return { name: 'rows', quantile, argument: -1 };
  try {
    const register = lowerArgument(operand, argument, lowering);
    return { name, quantile, argument: lowering.builder.output(register) };
  } catch (error) {
    if (error instanceof NotLowered) return 'unsupported_expression';
    throw error;
  }
}

/** Booleans are computed as 0 and 1, texts by their ranks. */
function lowerArgument(
  operand: AggregateLowering['operand'],
  argument: Expr,
  lowering: ExpressionLowering,
): Register {
  const { builder } = lowering;
  if (operand === 'presence' && argument.type === 'string') {
    const isThere: Expr = {
      ...{ kind: 'isNull', operand: argument, negated: true },
      ...{ type: 'boolean', nullable: false },
    };
    const operands = [lowering.lower(isThere), lowering.constant(1n), lowering.null('integer')];
    return builder.step(
      'select',
      'integer',
      operands.map(({ at }) => at),
    );
  }
  const register = lowering.lower(argument, 'integer');
  if (register.type === 'boolean') return builder.step('toInteger', 'integer', [register.at]);
  return operand === 'float' ? lowering.toFloat(register) : register;
}

/** The largest LIMIT + OFFSET for which the addon keeps only the latest or earliest buckets. */
const kMostBuckets = 100_000n;

function mostBuckets(plan: SelectPlan, { keys, fill }: GroupedShape): number {
  const { limit, offset, having, orderBy } = plan;
  if (limit === null || having !== null || fill !== null || keys.length !== 1) return 0;
  const [order, ...more] = orderBy;
  if (more.length > 0 || (order !== undefined && order.expr.kind !== 'key')) return 0;
  const wanted = limit + offset;
  if (wanted === 0n || wanted > kMostBuckets) return 0;
  return order?.descending === true ? Number(wanted) : -Number(wanted);
}
