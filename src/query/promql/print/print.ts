/** Prints trees on one line, as Prometheus writes them. */

import type {
  Aggregation,
  AtModifier,
  PromqlBinary,
  Duration,
  PromqlExpression,
} from '../syntax/ast.js';
import type { MatrixSelector, NumberLiteral, Subquery, VectorSelector } from '../syntax/ast.js';
import type { SeriesMatcher } from '../../../common/model/series-matcher.js';
import { chainOf } from '../syntax/chain.js';
import { goQuote } from '../syntax/quote.js';
import { kNameLabel } from '../syntax/selector-parser.js';
import { durationText, numberText } from './number-texts.js';

export function printPromql(expression: PromqlExpression): string {
  switch (expression.kind) {
    case 'number':
      return literal(expression);
    case 'string':
      return goQuote(expression.value);
    case 'selector':
      return `${selected(expression)}${moved(expression)}`;
    case 'matrix':
      return matrix(expression);
    case 'subquery':
      return `${printPromql(expression.of)}${subqueryEnd(expression)}`;
    case 'parens':
      return `(${printPromql(expression.of)})`;
    case 'unary':
      return `${expression.op}${printPromql(expression.of)}`;
    case 'binary':
      return binary(expression);
    case 'call':
      return `${expression.name}(${expression.args.map(printPromql).join(', ')})`;
    case 'aggregation':
      return aggregation(expression);
  }
}

function literal({ value, isDuration }: NumberLiteral): string {
  return isDuration ? durationText(value) : numberText(value);
}

/** The selector without `@` and `offset`. */
function selected({ name, matchers }: VectorSelector): string {
  const isName = ({ key, op, value }: SeriesMatcher): boolean =>
    name !== '' && key === kNameLabel && op === '=' && value === name;
  const texts = matchers.filter((one) => !isName(one)).map(matcherText);
  if (texts.length === 0 && name !== '') return name;
  return `${name}{${texts.sort(byBytes).join(',')}}`;
}

const matcherText = ({ key, op, value }: SeriesMatcher): string =>
  `${labelText(key)}${op}${goQuote(value)}`;

const plainLabel = /^[A-Za-z_][A-Za-z0-9_]*$/;
const labelText = (label: string): string => (plainLabel.test(label) ? label : goQuote(label));

/** The order of UTF-8, in which surrogate pairs come last. */
function byBytes(left: string, right: string): number {
  const rank = (code: number): number => (code >= 0xd800 && code < 0xe000 ? code + 0x10000 : code);
  for (let at = 0; at < left.length && at < right.length; at += 1) {
    const difference = rank(left.charCodeAt(at)) - rank(right.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** The `@` and `offset` modifiers. */
function moved({ at, offset }: Pick<VectorSelector, 'at' | 'offset'>): string {
  return `${at === null ? '' : ` @ ${atText(at)}`}${offset === null ? '' : ` offset ${length(offset)}`}`;
}

const atText = (at: AtModifier): string =>
  typeof at === 'string' ? `${at}()` : (at.ms / 1000).toFixed(3);

function matrix({ of, range }: MatrixSelector): string {
  return `${selected(of)}[${length(range)}]${moved(of)}`;
}

/** The text after the inner expression. */
export function subqueryEnd(subquery: Subquery): string {
  const step = subquery.step === null ? '' : length(subquery.step);
  return `[${length(subquery.range)}:${step}]${moved(subquery)}`;
}

/** A duration that is a single number is printed as a duration. */
const length = (duration: Duration): string =>
  duration.kind === 'number' ? durationText(duration.value) : durationPart(duration);

function durationPart(duration: Duration): string {
  if (duration.kind === 'number') return literal(duration);
  const { op, left, right, isInParens } = duration;
  const [first, second] = [left === null ? '' : durationPart(left), durationPart(right)];
  const written = left === null ? `${op}${second}` : `${first} ${op} ${second}`;
  return isInParens ? `(${written})` : written;
}

function binary(expression: PromqlBinary): string {
  const { first, operators } = chainOf(expression);
  const behind = operators.map((one) => ` ${operatorText(one)} ${printPromql(one.right)}`);
  return `${printPromql(first)}${behind.join('')}`;
}

/** The operator with its modifiers. */
export function operatorText({ op, isBool, matching }: PromqlBinary): string {
  const bool = isBool ? ' bool' : '';
  if (matching === null) return `${op}${bool}`;
  const { cardinality, isOn, labels, include } = matching;
  const isGrouped = cardinality === 'manyToOne' || cardinality === 'oneToMany';
  const isShown = isOn || isGrouped || labels.length > 0;
  const by = isShown ? ` ${isOn ? 'on' : 'ignoring'} (${labelTexts(labels)})` : '';
  const side = cardinality === 'manyToOne' ? 'left' : 'right';
  return `${op}${bool}${by}${isGrouped ? ` group_${side} (${labelTexts(include)})` : ''}`;
}

const labelTexts = (labels: readonly string[]): string => labels.map(labelText).join(', ');

function aggregation(expression: Aggregation): string {
  const { parameter, of } = expression;
  const first = parameter === null ? '' : `${printPromql(parameter)}, `;
  return `${aggregateText(expression)}(${first}${printPromql(of)})`;
}

/** The operator and its grouping. */
export function aggregateText({ op, isWithout, labels }: Aggregation): string {
  if (isWithout) return `${op} without (${labelTexts(labels)}) `;
  return labels.length > 0 ? `${op} by (${labelTexts(labels)}) ` : op;
}
