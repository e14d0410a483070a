/** Completion of PromQL at a position. */

import { promqlList } from '../../query/promql/functions/promql-list.js';
import { goQuote } from '../../query/promql/syntax/quote.js';
import { aggregateWords } from '../../query/promql/syntax/token.js';
import {
  ofMetric,
  type Knowledge,
  type Standing,
  type Suggestion,
  type Suggestions,
} from '../editor/suggestions.js';
import { onlyMetricIn, placeIn, type PromqlPlace } from './place.js';

export async function suggest(
  { text, at, signal }: Standing,
  knowledge: Knowledge,
): Promise<Suggestions> {
  const place = placeIn(text.slice(0, at));
  const options = await optionsFor(place, knowledge, { text, at, signal });
  const isClosed = place.quote !== '' && text[at] === place.quote;
  const from = at - place.part.length - place.quote.length;
  return { from, to: isClosed ? at + 1 : at, options };
}

async function optionsFor(
  place: PromqlPlace,
  knowledge: Knowledge,
  { text, signal }: Standing,
): Promise<readonly Suggestion[]> {
  switch (place.kind) {
    case 'nothing':
      return [];
    case 'operand': {
      const found = await knowledge.metricsLike(place.part, signal);
      const metrics = found.map((one) => ofMetric(one, metricAsWritten(one.metric)));
      return [...metrics, ...functions];
    }
    case 'operator':
      return operators;
    case 'length':
      return lengthsFor(place.part);
    case 'grouping':
      return keysFor(onlyMetricIn(text), knowledge, signal);
    case 'label':
      return labelsFor(place, knowledge, signal);
    case 'value':
      return valuesFor(place, knowledge, signal);
  }
}

const plainName = /^[A-Za-z_:][\w:]*$/;
const plainLabel = /^[A-Za-z_]\w*$/;

/** A name with dots or other special characters must be quoted in braces. */
export const metricAsWritten = (name: string): string =>
  plainName.test(name) ? name : `{${goQuote(name)}}`;

async function keysFor(
  metric: string | null,
  knowledge: Knowledge,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const keys = await knowledge.keysOf(metric, signal);
  const detail = metric ?? 'label';
  return keys.map((key) => {
    const text = plainLabel.test(key) ? key : goQuote(key);
    return { label: key, text, kind: 'label', detail };
  });
}

/** In quotes, a metric name is valid too. */
async function labelsFor(
  { metric, part, quote }: Extract<PromqlPlace, { readonly kind: 'label' }>,
  knowledge: Knowledge,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const keys = await keysFor(metric, knowledge, signal);
  if (quote === '') return keys;
  const quotedKeys = keys.map((one) => ({ ...one, text: goQuote(one.label) }));
  if (metric !== null) return quotedKeys;
  const found = await knowledge.metricsLike(part, signal);
  return [...found.map((one) => ofMetric(one, goQuote(one.metric))), ...quotedKeys];
}

async function valuesFor(
  place: Extract<PromqlPlace, { readonly kind: 'value' }>,
  knowledge: Knowledge,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const { key, metric, labels, part } = place;
  if (key === '__name__') {
    const found = await knowledge.metricsLike(part, signal);
    return found.map((one) => ofMetric(one, goQuote(one.metric)));
  }
  const ofOne = metric === null ? {} : { metric };
  const besides = Object.keys(labels).length === 0 ? {} : { labels };
  const found = await knowledge.valuesOf({ key, prefix: part, ...ofOne, ...besides }, signal);
  return found.map((value) => ({
    ...{ label: value, text: goQuote(value), kind: 'value', detail: key },
  }));
}

const word = (text: string): Suggestion => ({ label: text.trim(), text, kind: 'word' });
const words = (...texts: readonly string[]): readonly Suggestion[] => texts.map(word);

const operators = words(
  ...['and ', 'or ', 'unless ', 'atan2 ', 'bool ', 'offset ', 'by (', 'without ('],
  ...['on (', 'ignoring (', 'group_left (', 'group_right ('],
);

const units = ['s', 'm', 'h', 'd', 'w', 'y', 'ms'];
const usualLengths = words(...['1m', '5m', '15m', '1h', '6h', '1d']);

function lengthsFor(part: string): readonly Suggestion[] {
  const [digits = ''] = /^\d+/.exec(part) ?? [];
  if (digits !== '') return words(...units.map((unit) => digits + unit));
  return part === '' ? usualLengths : [];
}

/** Aggregations whose first argument is a parameter. */
const parameters: Readonly<Partial<Record<(typeof aggregateWords)[number], string>>> = {
  ...{ topk: 'k', bottomk: 'k', limitk: 'k', quantile: 'φ' },
  ...{ count_values: 'label', limit_ratio: 'ratio' },
};

const functions: readonly Suggestion[] = [
  ...aggregateWords.map((name) => {
    const first = parameters[name];
    const taken = first === undefined ? 'vector' : `${first}, vector`;
    return ofFunction(name, `${name}(${taken}) by (…)`);
  }),
  ...promqlList.map(({ name, form, sentence, example }) => ({
    ...ofFunction(name, form),
    info: `${sentence} ${example}`,
  })),
];

function ofFunction(name: string, detail: string): Suggestion {
  return { label: name, text: `${name}(`, kind: 'function', detail };
}
