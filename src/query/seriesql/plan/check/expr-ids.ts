/**
 * Numbers expressions, so that equal ones are found without a deep comparison. An expression is
 * identified by its own content and the numbers of its parts.
 */

import { rowWithin } from '../operator-row.js';
import { partsOf } from './expr.js';

import type { Expr } from '../plan.js';

/** More than a statement can have. A pair of numbers still fits exactly into one number. */
const kIdsMax = 2 ** 26;

export class ExprIds {
  readonly #byExpr = new Map<Expr, number>();
  readonly #byText = new Map<string, number>();
  readonly #byPair = new Map<number, number>();
  #count = 0;

  /** Equal numbers for equal expressions only; types count. */
  of(expr: Expr): number {
    const known = this.#byExpr.get(expr);
    if (known !== undefined) return known;
    for (const inner of rowWithin(expr, (part) => this.#byExpr.has(part))) this.of(inner);
    const { kind, type, nullable } = expr;
    let id = this.#numbered(this.#byText, `${kind} ${type} ${nullable} ${ownText(expr)}`);
    for (const part of partsOf(expr)) {
      id = this.#numbered(this.#byPair, id * kIdsMax + this.of(part));
    }
    this.#byExpr.set(expr, id);
    return id;
  }

  #numbered<Key>(ids: Map<Key, number>, key: Key): number {
    const known = ids.get(key);
    if (known !== undefined) return known;
    this.#count += 1;
    ids.set(key, this.#count);
    return this.#count;
  }
}

/** The content of an expression besides its parts. */
function ownText(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      return literalText(expr.value);
    case 'column':
      return expr.column;
    case 'label':
      return JSON.stringify(expr.key);
    case 'key':
    case 'aggregate':
    case 'window':
      return String(expr.index);
    case 'arithmetic':
    case 'compare':
    case 'logical':
      return expr.op;
    case 'isNull':
    case 'in':
    case 'like':
      return String(expr.negated);
    case 'match':
      return `${expr.negated} ${JSON.stringify(expr.pattern)}`;
    case 'call':
      return expr.name;
    case 'bucket':
      return Object.values(expr.bucket).map(String).join('/');
    case 'cast':
      return expr.target;
    default:
      return '';
  }
}

function literalText(value: Extract<Expr, { kind: 'literal' }>['value']): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return JSON.stringify(value);
  return Object.is(value, -0) ? '-0' : String(value);
}
