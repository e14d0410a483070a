/** Makes typed expressions; constants are folded at once. */

import { scalarFunctions } from '../../functions/scalar-functions.js';
import { kLikeWorkMax } from '../../../values/pattern.js';

import { emptyRow, type Evaluator } from '../evaluate.js';

import type { ScalarFunction } from '../../functions/scalar-function.js';
import type { StaticType, Value } from '../../../values/value.js';
import type { Expr } from '../plan.js';

/** `like` does this many steps in the time of other work on one character. */
const kLikeStepsPerCharacter = 16;

export function literal(value: Value, type: StaticType): Expr {
  return { kind: 'literal', value, type, nullable: value === null };
}

/** The direct parts of an expression. */
export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'negate':
    case 'not':
    case 'isNull':
    case 'match':
    case 'bucket':
    case 'cast':
      return [expr.operand];
    case 'arithmetic':
    case 'compare':
      return [expr.left, expr.right];
    case 'logical':
      return expr.items;
    case 'in':
      return [expr.operand, ...expr.items];
    case 'like':
      return [expr.operand, expr.pattern];
    case 'call':
      return expr.args;
    case 'case':
      return [...expr.branches.flatMap(({ when, then }) => [when, then]), expr.otherwise];
    default:
      return noParts;
  }
}

const noParts: readonly Expr[] = [];

/** The conditions joined by `and`, or the expression itself. */
export function conjunctsOf(expr: Expr): readonly Expr[] {
  const all: Expr[] = [];
  addConjuncts(expr, all);
  return all;
}

function addConjuncts(expr: Expr, all: Expr[]): void {
  if (expr.kind !== 'logical' || expr.op !== 'and') all.push(expr);
  else for (const item of expr.items) addConjuncts(item, all);
}

/** The same expression with other parts, in the order of `partsOf`. */
export function withParts(expr: Expr, parts: readonly Expr[]): Expr {
  const part = (index: number): Expr => parts[index] ?? literal(null, 'null');
  switch (expr.kind) {
    case 'negate':
    case 'not':
    case 'isNull':
    case 'match':
    case 'bucket':
    case 'cast':
      return { ...expr, operand: part(0) };
    case 'arithmetic':
    case 'compare':
      return { ...expr, left: part(0), right: part(1) };
    case 'logical':
      return { ...expr, items: parts };
    case 'in':
      return { ...expr, operand: part(0), items: parts.slice(1) };
    case 'like':
      return { ...expr, operand: part(0), pattern: part(1) };
    case 'call':
      return { ...expr, args: parts };
    case 'case': {
      const branches = expr.branches.map((_, at) => ({
        when: part(2 * at),
        then: part(2 * at + 1),
      }));
      return { ...expr, branches, otherwise: part(parts.length - 1) };
    }
    default:
      return expr;
  }
}

/** Folds the expression to a literal if all its parts are literals. */
export function folded(expr: Expr, evaluator: Evaluator): Expr {
  const parts = partsOf(expr);
  if (parts.length === 0 || parts.some(({ kind }) => kind !== 'literal')) return expr;
  return literal(evaluator.evaluate(expr, emptyRow), expr.type);
}

/** The characters read to evaluate an expression over literals. */
export function textWork(expr: Expr): number {
  const lengths = partsOf(expr).map((part) =>
    part.kind === 'literal' && typeof part.value === 'string' ? part.value.length : 0,
  );
  if (expr.kind !== 'like') return lengths.reduce((sum, length) => sum + length, 0);
  const [text = 0, pattern = 0] = lengths;
  const steps = text * pattern > kLikeWorkMax ? 0 : text * pattern;
  return text + pattern + Math.floor(steps / kLikeStepsPerCharacter);
}

/** True if each evaluation may make a new text. */
export function makesText(expr: Expr): boolean {
  switch (expr.kind) {
    case 'labels':
    case 'cast':
      return expr.type === 'string';
    case 'case':
      return [...expr.branches.map(({ then }) => then), expr.otherwise].some(makesText);
    case 'call': {
      const called: ScalarFunction = scalarFunctions[expr.name];
      return called.choosesText === true ? expr.args.some(makesText) : expr.type === 'string';
    }
    default:
      return false;
  }
}

/** Calls `visit` for an expression and all its parts, outer ones first. */
export function visitAll(expr: Expr, visit: (part: Expr) => void): void {
  some(expr, (part) => {
    visit(part);
    return false;
  });
}

export function some(expr: Expr, test: (part: Expr) => boolean): boolean {
  const waiting = [expr];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (test(part)) return true;
    const parts = partsOf(part);
    // A list may have thousands of literals, which need not wait.
    let first = 0;
    for (let leaf = parts[0]; leaf !== undefined && partsOf(leaf) === noParts;) {
      if (test(leaf)) return true;
      leaf = parts[(first += 1)];
    }
    for (let at = parts.length; at > first;) {
      const next = parts[(at -= 1)];
      if (next !== undefined) waiting.push(next);
    }
  }
  return false;
}
