/** The statements of SeriesQL behind a chart. */

import { keyAsWritten, metricAsWritten } from '../query/seriesql/language/written-name.js';

import { printFilter, type Condition } from './series-filter.js';
import { isOfCalendar, type BucketWidth } from './ladder.js';
import { quoted } from './statements.js';

import type { TimeWindow } from './time-window.js';

/** What a chart looks at. */
export interface Looked {
  readonly metric: string;
  readonly conditions: readonly Condition[];
  readonly window: Pick<TimeWindow, 'start' | 'end'>;
  /** Its growth a second is shown. */
  readonly isCounter: boolean;
  /** The label by whose values series are put together; null: each is a line. */
  readonly by: string | null;
  /** Where days, weeks, months and years begin. */
  readonly zone: string;
}

export const rankings = ['hi', 'lo', 'mean', 'latest', 'n'] as const;
export type Ranking = (typeof rankings)[number];

/** Rows of a legend. */
export const rankedMax = 1_000;

type Source = Pick<Looked, 'metric' | 'conditions'>;

const sourceOf = ({ metric, conditions }: Source): string =>
  metricAsWritten(metric) + printFilter(conditions);

const during = ({ window }: Looked): string =>
  `where time between ${window.start} and ${window.end}`;

const tagOf = (key: string): string => `tag.${keyAsWritten(key)}`;

/** Figures of each line; those of a counter are of its growth. */
const figuresOf = ({ isCounter }: Looked): string =>
  (isCounter
    ? 'rate(value) as mean, last(value) as latest'
    : 'min(value) as lo, max(value) as hi, avg(value) as mean, last(value) as latest') +
  ', count(*) as n, min(time) as since, max(time) as until';

interface RankingOptions {
  readonly keys: readonly string[];
  readonly order: Ranking;
}

/** Every line with its figures, the first ones first: what a legend shows. */
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

/** Every series, with or without samples. */
export function seriesOf(source: Source, limit: number): string {
  return `show series from ${sourceOf(source)} limit ${limit}`;
}

const idsOf = (ids: readonly string[]): string => `by_id(${ids.join(', ')})`;

/** Every sample of these series. */
export function samplesOf(looked: Looked, ids: readonly string[]): string {
  return `select series_id, time, value\nfrom ${idsOf(ids)}\n${during(looked)}`;
}

const bucketOf = ({ zone }: Looked, width: BucketWidth): string =>
  `time_bucket(${width.text}, time${isOfCalendar(width) ? `, ${quoted(zone)}` : ''}) as t`;

/** Of each bucket of each line what no picture may lose. */
export function bucketsOf(looked: Looked, lines: readonly string[], width: BucketWidth): string {
  const bucket = bucketOf(looked, width);
  if (looked.by !== null) return splitOf(looked, lines, bucket);
  // The last value of all is what a legend tells.
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

/** Every sample of what is drawn, with its labels. */
export function rawOf(looked: Looked, lines: readonly string[], keys: readonly string[]): string {
  const columns = ['time', 'series_id', ...keys.map(tagOf), 'value'].join(', ');
  const [source, and] =
    looked.by === null
      ? [idsOf(lines), '']
      : [sourceOf(looked), ` and (${valuesOf(tagOf(looked.by), lines)})`];
  return `select ${columns}\nfrom ${source}\n${during(looked)}${and}`;
}

/** A label has one of these values; empty: it has none. */
function valuesOf(tag: string, values: readonly string[]): string {
  const known = values.filter((one) => one !== '').map(quoted);
  const parts = [
    ...(known.length === 0 ? [] : [`${tag} in (${known.join(', ')})`]),
    // Series without the label are a line, too.
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

/** Between what all series lie, drawn or not. */
export const envelopeOf = (looked: Looked, width: BucketWidth): string =>
  togetherOf(looked, width, 'min(value), max(value)');

/** What all series are in the mean, and between what they lie; of a counter its growth. */
export const meansOf = (looked: Looked, width: BucketWidth): string =>
  togetherOf(looked, width, bucketFigures(looked));

/** Where the line goes, and between what its values lie. */
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

/** When the last sample is, over all time. */
export function lastOf(looked: Looked): string {
  return `select max(time) from ${sourceOf(looked)} where time <= ${2n ** 63n - 1n}`;
}

/** How many samples all series of the metric have there. */
export function countOf(
  metric: string,
  { start, end }: { readonly start: bigint; readonly end: bigint },
): string {
  return `select count(*) from ${metricAsWritten(metric)} where time between ${start} and ${end}`;
}
