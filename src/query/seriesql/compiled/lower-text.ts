/**
 * Lowers texts that samples choose among literals, such as `case when value > 90 then 'hot' end`.
 */

import { compareText } from '../../values/value.js';
import { NotLowered, type Register } from '../functions/lowering.js';
import { scalarFunctions } from '../functions/scalar-functions.js';

import type { ScalarFunction } from '../functions/scalar-function.js';
import type { Expr } from '../plan/plan.js';
import type { ExpressionLowering } from './lower-expression.js';

interface TextRegisters {
  /** An integer register: the index of the text, or null. */
  readonly register: Register;
  /** Ascending. */
  readonly texts: readonly string[];
}

/** Null if a text is not a literal. Throws NotLowered. */
export function lowerText(expr: Expr, lowering: ExpressionLowering): TextRegisters | null {
  if (!isOfLiterals(expr)) return null;
  const found = new Set<string>();
  collect(expr, found);
  const texts = [...found].sort(compareText);
  return { register: new TextLowering(lowering, texts).lower(expr), texts };
}

function isOfLiterals(expr: Expr): boolean {
  if (expr.kind === 'literal') return true;
  const choices = choicesOf(expr);
  return choices.length > 0 && choices.every(isOfLiterals);
}

function collect(expr: Expr, found: Set<string>): void {
  if (expr.kind === 'literal' && typeof expr.value === 'string') found.add(expr.value);
  for (const part of choicesOf(expr)) collect(part, found);
}

/** The expressions that `expr` chooses from. */
function choicesOf(expr: Expr): readonly Expr[] {
  if (expr.kind === 'case') return [...expr.branches.map(({ then }) => then), expr.otherwise];
  if (expr.kind !== 'call') return [];
  const called: ScalarFunction = scalarFunctions[expr.name];
  return called.choosesText === true ? expr.args : [];
}

class TextLowering {
  readonly #lowering: ExpressionLowering;
  readonly #texts: readonly string[];

  constructor(lowering: ExpressionLowering, texts: readonly string[]) {
    this.#lowering = lowering;
    this.#texts = texts;
  }

  lower(expr: Expr): Register {
    const { builder } = this.#lowering;
    if (expr.kind === 'literal') return this.#literal(expr.value);
    const choices = choicesOf(expr).map((part) => this.lower(part));
    const otherwise = choices.at(-1);
    if (otherwise === undefined) throw new NotLowered();
    if (expr.kind !== 'case') {
      return choices.reduce((left, right) =>
        builder.step('coalesce', 'integer', [left.at, right.at]),
      );
    }
    return expr.branches.reduceRight((rest, { when }, at) => {
      const test = this.#lowering.lower(when, 'boolean');
      const chosen = choices[at] ?? rest;
      return builder.step('select', 'integer', [test.at, chosen.at, rest.at]);
    }, otherwise);
  }

  #literal(value: unknown): Register {
    const { builder } = this.#lowering;
    if (typeof value !== 'string') return this.#lowering.null('integer');
    const place = builder.integerPlace(BigInt(this.#texts.indexOf(value)));
    return builder.step('integer', 'integer', [place]);
  }
}
