/** The SeriesQL statements of the pages, and the only place that quotes names and texts. */

import {
  keyAsWritten,
  metricAsWritten,
  quotedName,
} from '../query/seriesql/language/written-name.js';

/** A text as a string literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A filter in braces for series that have these labels. */
export function filterOf(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(
    ([key, value]) => `${keyAsWritten(key)}=${quoted(value)}`,
  );
  return `{${parts.join(', ')}}`;
}

interface MeasureOptions {
  readonly metric: string;
  /** In braces; empty: all series. */
  readonly filter: string;
  readonly keys: readonly string[];
  /** A call over `value`. */
  readonly aggregate: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly limit: number;
}

/** An aggregate of each series in a window, with its labels and its number of samples. */
export function seriesMeasured(options: MeasureOptions): string {
  const { metric, filter, keys, aggregate, start, end, limit } = options;
  const ofSeries = ['series_id', ...keys.map(tagOf)].join(', ');
  return (
    `select ${ofSeries}, ${aggregate} as measured, count(*) as samples ` +
    `from ${metricAsWritten(metric)}${filter} where time between ${start} and ${end} ` +
    `group by ${ofSeries} limit ${limit}`
  );
}

/** Escapes the characters of regular expressions. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

interface WordOptions {
  /** The label keys to search. */
  readonly keys: readonly string[];
  readonly limit: number;
}

/**
 * Finds metrics whose name, or whose value of one of the keys, contains `word` in any case.
 * `key=word` searches that label alone.
 */
export function metricsWithWord(word: string, { keys, limit }: WordOptions): string {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
  const isKey = key !== '' && keys.includes(key);
  const sides = isKey ? [tagOf(key)] : ['metric', ...keys.map(tagOf)];
  const pattern = quoted(`(?i)${literal(isKey ? value : word)}`);
  const condition = sides.map((side) => `${side} =~ ${pattern}`).join(' or ');
  return `show metrics where ${condition} limit ${limit}`;
}

const tagOf = (key: string): string => `tag.${quotedName(key)}`;
