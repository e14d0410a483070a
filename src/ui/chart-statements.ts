/** The SeriesQL statements behind a chart. */

import { keyAsWritten, metricAsWritten } from '../query/seriesql/language/written-name.js';

import { printFilter, type Condition } from './series-filter.js';
import { isOfCalendar, type BucketWidth } from './ladder.js';
import { quoted } from './statements.js';

import type { TimeWindow } from './time-window.js';

/** The data that a chart shows. */
export interface Looked {
  readonly metric: string;
  readonly conditions: readonly Condition[];
  readonly window: Pick<TimeWindow, 'start' | 'end'>;
  /** True if the chart shows the growth per second. */
  readonly isCounter: boolean;
  /** The label that series are grouped by; null: each series is a line. */
  readonly by: string | null;
  /** The time zone that sets where days, weeks, months and years begin. */
  readonly zone: string;
}

export const rankings = ['hi', 'lo', 'mean', 'latest', 'n'] as const;
export type Ranking = (typeof rankings)[number];

/** The maximum of legend rows. */
export const rankedMax = 1_000;

type StatementSource = Pick<Looked, 'metric' | 'conditions'>;

const sourceOf = ({ metric, conditions }: StatementSource): string =>
  metricAsWritten(metric) + printFilter(conditions);

const during = ({ window }: Looked): string =>
  `where time between ${window.start} and ${window.end}`;

const tagOf = (key: string): string => `tag.${keyAsWritten(key)}`;

/** The figures of each line; a counter's figures describe its growth. */
const figuresOf = ({ isCounter }: Looked): string =>
  (isCounter
    ? 'rate(value) as mean, last(value) as latest'
    : 'min(value) as lo, max(value) as hi, avg(value) as mean, last(value) as latest') +
  ', count(*) as n, min(time) as since, max(time) as until';

interface RankingOptions {
  readonly keys: readonly string[];
  readonly order: Ranking;
}

/** The statement for a legend: every line with its figures, in the given order. */
export function rankingOf(looked: Looked, { keys, order }: RankingOptions): string {
  const names = looked.by === null ? ['series_id', ...keys.map(tagOf)] : [tagOf(looked.by)];
  const known = looked.isCounter && (order === 'hi' || order === 'lo') ? 'mean' : order;
  return [
    `select ${[...names, figuresOf(looked)].join(', ')}`,
    `from ${sourceOf(looked)}`,
    during(looked),
    `group by ${names.join(', ')}`,
    `order by ${known} ${order === 'lo' ? '' : 'desc '}limit ${rankedMax}`,
  ].join('\n');
}

/** Lists every series, with or without samples. */
export function seriesOf(source: StatementSource, limit: number): string {
  return `show series from ${sourceOf(source)} limit ${limit}`;
}

const idsOf = (ids: readonly string[]): string => `by_id(${ids.join(', ')})`;

/** Reads every sample of these series. */
export function samplesOf(looked: Looked, ids: readonly string[]): string {
  return `select series_id, time, value\nfrom ${idsOf(ids)}\n${during(looked)}`;
}

const bucketOf = ({ zone }: Looked, width: BucketWidth): string =>
  `time_bucket(${width.text}, time${isOfCalendar(width) ? `, ${quoted(zone)}` : ''}) as t`;

/** Reads the mean and the extremes of each line's buckets, so that a chart loses no peak. */
export function bucketsOf(looked: Looked, lines: readonly string[], width: BucketWidth): string {
  const bucket = bucketOf(looked, width);
  if (looked.by !== null) return splitOf(looked, lines, bucket);
  // The legend shows the last value.
  const figures = looked.isCounter
    ? bucketFigures(looked)
    : `${bucketFigures(looked)}, last(value)`;
  return [
    `select series_id, ${bucket}, ${figures}`,
    `from ${idsOf(lines)}`,
    during(looked),
    'group by series_id, t',
  ].join('\n');
}

/** Reads every sample of the drawn lines, with its labels. */
export function rawOf(looked: Looked, lines: readonly string[], keys: readonly string[]): string {
  const columns = ['time', 'series_id', ...keys.map(tagOf), 'value'].join(', ');
  const [source, and] =
    looked.by === null
      ? [idsOf(lines), '']
      : [sourceOf(looked), ` and (${valuesOf(tagOf(looked.by), lines)})`];
  return `select ${columns}\nfrom ${source}\n${during(looked)}${and}`;
}

/** Matches any of these label values; an empty value matches series without the label. */
function valuesOf(tag: string, values: readonly string[]): string {
  const known = values.filter((one) => one !== '').map(quoted);
  const parts = [
    ...(known.length === 0 ? [] : [`${tag} in (${known.join(', ')})`]),
    // Series without the label form a line too.
    ...(known.length === values.length ? [] : [`${tag} is null`]),
  ];
  return parts.join(' or ');
}

function splitOf(looked: Looked, values: readonly string[], bucket: string): string {
  const tag = tagOf(looked.by ?? '');
  return [
    `select ${tag}, ${bucket}, ${bucketFigures(looked)}`,
    `from ${sourceOf(looked)}`,
    `${during(looked)} and (${valuesOf(tag, values)})`,
    `group by ${tag}, t`,
  ].join('\n');
}

/** The range of all series per bucket, drawn or not. */
export const envelopeOf = (looked: Looked, width: BucketWidth): string =>
  togetherOf(looked, width, 'min(value), max(value)');

/** The mean and range of all series per bucket; for a counter its rate. */
export const meansOf = (looked: Looked, width: BucketWidth): string =>
  togetherOf(looked, width, bucketFigures(looked));

/** The mean and range of a bucket; for a counter its rate. */
function bucketFigures({ isCounter }: Looked): string {
  return isCounter ? 'rate(value)' : 'avg(value), min(value), max(value)';
}

function togetherOf(looked: Looked, width: BucketWidth, figures: string): string {
  return [
    `select ${bucketOf(looked, width)}, ${figures}`,
    `from ${sourceOf(looked)}`,
    during(looked),
    'group by t',
  ].join('\n');
}

/** The time of the last sample, without a time limit. */
export function lastOf(looked: Looked): string {
  return `select max(time) from ${sourceOf(looked)} where time <= ${2n ** 63n - 1n}`;
}

/** Counts the samples of all series of the metric in a time range. */
export function countOf(
  metric: string,
  { start, end }: { readonly start: bigint; readonly end: bigint },
): string {
  return `select count(*) from ${metricAsWritten(metric)} where time between ${start} and ${end}`;
}
