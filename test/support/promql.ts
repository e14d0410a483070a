/** Helpers that the tests of PromQL share. */

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { AppError } from '../../src/common/errors/app-error.js';
import { parsePromql } from '../../src/query/promql/parse.js';
import type { PromqlExpression } from '../../src/query/promql/syntax/ast.js';
import type { Random } from './random.js';

/** The syntax tree, or the parse error; other exceptions propagate. */
export function outcomeOf(text: string): PromqlExpression | string {
  try {
    return parsePromql(text);
  } catch (error) {
    if (error instanceof AppError && error.code === 'parse_failed') return error.message;
    throw error;
  }
}

/** The tree without positions and other traces of its notation. */
export function shapeOf(expression: PromqlExpression): string {
  return JSON.stringify(expression, (key, value: unknown) => {
    if (key === 'place' || key === 'isDuration') return undefined;
    if (key === 'matchers') return sorted(value as readonly unknown[]);
    return typeof value === 'number' ? String(value) : value;
  });
}

const sorted = (matchers: readonly unknown[]): readonly string[] =>
  matchers.map((one) => JSON.stringify(one)).sort();

/** Prometheus' own scripts, beside the clone. */
const scripts = path.join('..', 'shared', 'data', 'promqltest');
const evaluation =
  /^\s*eval\w* (?:instant(?: at \S+)?|range from \S+ to \S+ step \S+)\s+(.+?)\s*$/gm;

/** Every expression that a script evaluates. */
export function scriptedExpressions(): readonly string[] {
  return readdirSync(scripts)
    .filter((file) => file.endsWith('.test'))
    .flatMap((file) => {
      const text = readFileSync(path.join(scripts, file), 'utf8');
      return [...text.matchAll(evaluation)].map(([, expression]) => expression ?? '');
    });
}

/** Each upper-case letter is replaced at random, until none is left. */
const rules: Readonly<Record<string, readonly string[]>> = {
  // An instant vector, a scalar, a range.
  V: [
    ...['S', 'S', '(S offset D)', 'S @ 5', 'S @ end()', '(V)', '-V', 'V O V', 'V C N', 'N O V'],
    ...[
      'V == bool V',
      '(V) * on(a) group_left(b) (V)',
      '(V) and ignoring(a) (V)',
      'V or V',
      'A(V)',
    ],
    ...['A by (a, "b c") (V)', 'A(V) without (a)', 'topk(N, V)', 'count_values("x", V)'],
    ...['abs(V)', 'rate(M)', 'quantile_over_time(N, M)', 'vector(N)', 'round(V, N)', 'hour()'],
    ...['label_replace(V, "a", "$1", "b", "(.*)")', 'label_join(V, "a", "-", "b", "c")'],
  ],
  N: [
    '1',
    '2.5',
    '0x1f',
    '5m',
    '(-Inf)',
    '1e-9',
    '(N)',
    '-N',
    'N O N',
    'N > bool N',
    'time()',
    'pi()',
  ],
  M: ['S[D]', 'S[D] offset -D', 'S[D] @ start()', 'S[D:]', '(V)[D:D]', '(V)[D:D] @ 1.5 offset D'],
  S: ['foo', 'foo:bar', 'sum', '{"a b"}', 'foo{a="b"}', 'foo{a=~"x|y.*", "c d"!="\\n"}', '{b!~""}'],
  D: ['5m', '1h30m', '90', '1.5', '(5m + 3)', '(2 * 5m)', '(2 ^ -1)'],
  O: ['+', '-', '*', '/', '%', '^', 'atan2'],
  C: ['==', '!=', '<', '<=', '>', '>='],
  A: ['sum', 'avg', 'count', 'min', 'stddev', 'group'],
};

/** A valid expression. */
export function randomExpression(random: Random): string {
  let text = random.below(4) === 0 ? 'N' : 'V';
  for (let left = 40; ; left -= 1) {
    const at = text.search(/(?<![a-z0-9"${])[VNMSDOCA](?![a-z])/);
    if (at < 0) return text;
    const choices = rules[text[at] ?? ''] ?? [];
    // The first choices of a row end the recursion.
    const choice = choices[random.below(left > 0 ? choices.length : 1)] ?? '';
    text = text.slice(0, at) + choice + text.slice(at + 1);
  }
}
