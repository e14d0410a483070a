/** The statements of SeriesQL that pages ask: the only place where names and texts are quoted. */

import { metricAsWritten, quotedName } from '../seriesql/language/written-name.js';

/** A text in its quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The key of a label; a dot would part it. */
function keyAsWritten(key: string): string {
  return key.includes('.') ? quotedName(key) : metricAsWritten(key);
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
  const ofSeries = ['series_id', ...keys.map((key) => `tag.${quotedName(key)}`)].join(', ');
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

/** The names of metrics that have `word` somewhere in them, in whatever case. */
export function metricsWithWord(word: string, limit: number): string {
  return `show metrics where metric =~ ${quoted(`(?i)${literal(word)}`)} limit ${limit}`;
}
