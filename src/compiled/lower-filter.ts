/** Conditions on `value` alone as steps in postfix order. */

import type { ComparisonOp, Expr } from '../seriesql/plan/plan.js';
import type { FilterStep } from '../storage/storage.js';

/** More would not fit the addon's stack of masks. */
const kDepthMax = 16;
const kStepsMax = 256;

/** Null when the condition reads anything else. */
export function lowerFilter(filter: Expr | null): readonly FilterStep[] | null {
  if (filter === null) return [];
  const steps = stepsOf(filter);
  if (steps === null || steps.length > kStepsMax || depthOf(steps) > kDepthMax) return null;
  return steps;
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

/** An integer must be exact as a double, since it is compared by its exact value. */
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
