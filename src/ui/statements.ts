/** The statements of SeriesQL that pages ask: the only place where names and texts are quoted. */

import {
  keyAsWritten,
  metricAsWritten,
  quotedName,
} from '../query/seriesql/language/written-name.js';

/** A text in its quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The series with exactly these among their labels, in braces. */
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
  /** Of `value`, as a call. */
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

/** What a regular expression takes for itself. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

interface WordOptions {
  /** Of labels. */
  readonly keys: readonly string[];
  readonly limit: number;
}

/**
 * The names of metrics that have `word` somewhere in them, or in a value of such a label, in
 * whatever case. `key=word` is of that label alone.
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
