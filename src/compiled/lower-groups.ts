/** A grouped plan as the addon computes it, or why it cannot. */

import type { FallbackReason } from '../seriesql/compiled.js';
import type { GroupedShape } from '../seriesql/legacy/group.js';
import type { Aggregate, Expr, SelectPlan } from '../seriesql/plan/plan.js';
import type { GroupAggregate, GroupKey, GroupQuery } from '../storage/storage.js';

/** What of a group query follows from the plan alone. */
export type LoweredGroups = Pick<GroupQuery, 'keys' | 'aggregates' | 'order' | 'bucket'>;

export function lowerGroups(plan: SelectPlan, shape: GroupedShape): LoweredGroups | FallbackReason {
  const keys: GroupKey[] = [];
  let bucket: { width: bigint; origin: bigint } | null = null;
  for (const expr of shape.keys) {
    const key = lowerKey(expr);
    if (key === null) return 'unsupported_grouping';
    if (expr.kind === 'bucket' && expr.bucket.kind === 'fixed') {
      // Two buckets of different widths.
      if (bucket !== null) return 'unsupported_grouping';
      bucket = expr.bucket;
    }
    keys.push(key);
  }
  const aggregates: GroupAggregate[] = [];
  for (const aggregate of shape.aggregates) {
    const lowered = lowerAggregate(aggregate);
    if (typeof lowered === 'string') return lowered;
    aggregates.push(lowered);
  }
  return {
    keys,
    aggregates,
    order: shape.defaultOrder,
    bucket: bucket === null ? null : { most: mostBuckets(plan, shape), ...pick(bucket) },
  };
}

const pick = ({ width, origin }: { width: bigint; origin: bigint }) => ({ width, origin });

function lowerKey(expr: Expr): GroupKey | null {
  switch (expr.kind) {
    case 'bucket':
      return expr.bucket.kind === 'fixed' && isColumn(expr.operand, 'time')
        ? { kind: 'bucket', label: '' }
        : null;
    case 'label':
      return { kind: 'label', label: expr.key };
    case 'column':
      return expr.column === 'metric' || expr.column === 'series_id'
        ? { kind: expr.column, label: '' }
        : null;
    default:
      return null;
  }
}

function isColumn(expr: Expr | null, column: string): boolean {
  return expr?.kind === 'column' && expr.column === column;
}

function lowerAggregate(aggregate: Aggregate): GroupAggregate | FallbackReason {
  const { name, argument, isDistinct, quantile } = aggregate;
  if (name === 'irate') return 'unsupported_aggregate';
  if (name === 'count' && !isDistinct && (argument === null || argument.kind === 'column')) {
    return { name, quantile: 0 };
  }
  if (!isColumn(argument, 'value')) return 'unsupported_expression';
  if (isDistinct) {
    return name === 'count' ? { name: 'count_distinct', quantile: 0 } : 'unsupported_aggregate';
  }
  if (name === 'median') return { name: 'percentile', quantile: 0.5 };
  return { name, quantile: name === 'percentile' ? quantile : 0 };
}

/** Rows that are the latest or the earliest buckets need no others. */
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
