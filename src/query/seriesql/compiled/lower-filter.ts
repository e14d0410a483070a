/**
 * Lowers WHERE over samples: comparisons of `value` with constants, which can skip whole chunks.
 * The rest becomes a program.
 */

import { NotLowered } from '../functions/lowering.js';
import { conjunctsOf } from '../plan/check/expr.js';

import { ExpressionBuilder, type LoweredExpression } from './expression-builder.js';
import { ExpressionLowering } from './lower-expression.js';

import type { TimestampUnit } from '../../../common/model/timestamp-unit.js';
import type { FilterStep } from '../../../storage/storage.js';
import type { ComparisonOp, Expr } from '../plan/plan.js';

/** The depth of the addon's stack of masks. */
const kDepthMax = 16;
const kStepsMax = 256;

export interface LoweredFilter {
  readonly steps: readonly FilterStep[];
  readonly condition: LoweredExpression | null;
}

/** Null if the interpreter must evaluate the filter. */
export function lowerFilter(filter: Expr | null, unit: TimestampUnit): LoweredFilter | null {
  const simple: FilterStep[] = [];
  const others: Expr[] = [];
  for (const item of filter === null ? [] : conjunctsOf(filter)) {
    const steps = stepsOf(item);
    const joined = steps === null ? [] : joinedWith(simple, steps);
    if (steps === null || joined.length > kStepsMax || depthOf(joined) > kDepthMax) {
      others.push(item);
    } else {
      simple.splice(0, simple.length, ...joined);
    }
  }
  const condition = lowerCondition(others, unit);
  return condition === undefined ? null : { steps: simple, condition };
}

function joinedWith(
  first: readonly FilterStep[],
  second: readonly FilterStep[],
): readonly FilterStep[] {
  return first.length === 0 ? second : [...first, ...second, { op: 'and', constant: 0 }];
}

/** Undefined if it cannot be lowered; null if there is no condition. */
function lowerCondition(
  items: readonly Expr[],
  unit: TimestampUnit,
): LoweredExpression | null | undefined {
  const [first] = items;
  if (first === undefined) return null;
  const whole: Expr =
    items.length === 1
      ? first
      : { kind: 'logical', op: 'and', items, type: 'boolean', nullable: true };
  try {
    const builder = new ExpressionBuilder();
    builder.output(new ExpressionLowering(builder, unit).lower(whole, 'boolean'));
    return builder.build();
  } catch (error) {
    if (error instanceof NotLowered) return undefined;
    throw error;
  }
}

function stepsOf(expr: Expr): readonly FilterStep[] | null {
  switch (expr.kind) {
    case 'compare':
      return comparisonStep(expr);
    case 'not': {
      const steps = stepsOf(expr.operand);
      return steps === null ? null : [...steps, { op: 'not', constant: 0 }];
    }
    case 'logical': {
      const parts = expr.items.map(stepsOf);
      const all: FilterStep[] = [];
      for (const [at, part] of parts.entries()) {
        if (part === null) return null;
        all.push(...part);
        if (at > 0) all.push({ op: expr.op, constant: 0 });
      }
      return all;
    }
    default:
      return null;
  }
}

const mirrored = { '=': '=', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

function comparisonStep({
  op,
  left,
  right,
}: Extract<Expr, { kind: 'compare' }>): readonly FilterStep[] | null {
  if (isValue(left)) return oneStep(op, right);
  return isValue(right) ? oneStep(mirrored[op], left) : null;
}

function isValue(expr: Expr): boolean {
  return expr.kind === 'column' && expr.column === 'value';
}

/** An integer must be exact as a double because it is compared by its exact value. */
function oneStep(op: ComparisonOp, other: Expr): readonly FilterStep[] | null {
  const constant = constantOf(other);
  return constant === null ? null : [{ op, constant }];
}

function constantOf(expr: Expr): number | null {
  if (expr.kind === 'negate') {
    const inner = constantOf(expr.operand);
    return inner === null ? null : -inner;
  }
  if (expr.kind !== 'literal') return null;
  if (typeof expr.value === 'number') return expr.value;
  if (typeof expr.value !== 'bigint') return null;
  const number = Number(expr.value);
  return Number.isSafeInteger(number) ? number : null;
}

function depthOf(steps: readonly FilterStep[]): number {
  let depth = 0;
  let deepest = 0;
  for (const { op } of steps) {
    if (op === 'and' || op === 'or') depth -= 1;
    else if (op !== 'not') depth += 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
