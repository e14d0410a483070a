/** The tokens of PromQL, and their names in Prometheus' errors. */

import { goQuote } from './quote.js';

type Bracket = '(' | ')' | '{' | '}' | '[' | ']' | ',' | ':' | '=';
type Symbol =
  ('+' | '-' | '*' | '/' | '%' | '^' | '@') | ('==' | '!=' | '<' | '<=' | '>' | '>=' | '=~' | '!~');
type WrittenKind = 'identifier' | 'metric identifier' | 'number' | 'duration' | 'string';
type Word = (typeof operatorWords)[number] | AggregateWord | Keyword | 'start' | 'end';
type AggregateWord = (typeof aggregateWords)[number];
type Keyword = (typeof keywords)[number];

/** The kind of the token, or the token itself; words in lower case. */
export type PromqlTokenKind = Bracket | Symbol | WrittenKind | Word | 'end of input';

/** `start` and `end` in UTF-16 units. */
export interface PromqlToken {
  readonly kind: PromqlTokenKind;
  readonly start: number;
  readonly end: number;
}

const operatorWords = ['and', 'or', 'unless', 'atan2'] as const;

/** The aggregations that make texts or go through them, so that one row may be long work. */
export const textAggregateWords = ['count_values', 'limit_ratio'] as const;

export const aggregateWords = [
  ...(['sum', 'avg', 'count', 'min', 'max', 'group', 'stddev', 'stdvar'] as const),
  ...(['topk', 'bottomk', 'quantile', 'limitk', ...textAggregateWords] as const),
] as const;

const keywords = [
  ...(['offset', 'by', 'without', 'on', 'ignoring'] as const),
  ...(['group_left', 'group_right', 'bool'] as const),
] as const;

/** Words by their lower-case form; they are recognised in any case. */
export const words: ReadonlyMap<string, PromqlTokenKind> = new Map<string, PromqlTokenKind>([
  ...[...operatorWords, ...aggregateWords, ...keywords].map((word) => [word, word] as const),
  ...[['start', 'start'] as const, ['end', 'end'] as const],
  ...[['inf', 'number'] as const, ['nan', 'number'] as const],
]);

const aggregates = new Set<string>(aggregateWords);
const writtenInTags = new Set<string>(keywords);
const described = new Set<string>([
  ...['identifier', 'metric identifier', 'number', 'duration', 'string'],
]);
const brackets = new Set<string>(['(', ')', '{', '}', '[', ']', ',', ':', '=', 'start', 'end']);

/** The length of the longest word, `count_values`. */
export const kWordMax = 12;

export const isAggregate = (kind: PromqlTokenKind): kind is AggregateWord => aggregates.has(kind);

/** Words that precede labels in parentheses. */
export const isGroupingWord = (kind: PromqlTokenKind | undefined): boolean => groupings.has(kind);
const groupings = new Set<PromqlTokenKind | undefined>([
  ...(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'] as const),
]);

/** Tokens that may be the name of a metric. */
export const isMetricName = (kind: PromqlTokenKind): boolean => metricNames.has(kind);
const metricNames = new Set<string>([
  ...['identifier', 'metric identifier', 'and', 'or', 'unless', 'start', 'end'],
  ...['by', 'without', 'offset', ...aggregateWords],
]);

export const beginsExpression = (kind: PromqlTokenKind): boolean =>
  beginnings.has(kind) || isMetricName(kind);
const beginnings = new Set<string>(['number', 'duration', 'string', '(', '{', '+', '-']);

/** Tokens that may be a label name in parentheses: all words except `without`. */
export const isLabelName = (kind: PromqlTokenKind): boolean => labelNames.has(kind);
const labelNames = new Set<string>([
  ...['identifier', 'metric identifier', 'start', 'end'],
  ...[...operatorWords, ...aggregateWords, ...keywords].filter((word) => word !== 'without'),
]);

const kLongest = 10;

/** The token as Prometheus names it in a message. */
export function describe(kind: PromqlTokenKind, written: string): string {
  if (kind === 'end of input') return kind;
  if (described.has(kind)) return `${kind} ${quoted(kind, written)}`;
  if (brackets.has(kind)) return goQuote(written);
  if (writtenInTags.has(kind)) return `<${written}>`;
  return isAggregate(kind) ? `<aggr:${written}>` : `<op:${written}>`;
}

function quoted(kind: PromqlTokenKind, written: string): string {
  const isName = kind === 'identifier' || kind === 'metric identifier';
  if (isName || new TextEncoder().encode(written).length <= kLongest) return goQuote(written);
  return `${goQuote(Array.from(written).slice(0, kLongest).join(''))}...`;
}
