/** Requests the data of a chart: first the legend, which tells the amount, then the lines. */

import { ask } from './server.js';
import { linesStatement, readEnvelope, readLines } from './picture-lines.js';
import { envelopeOf, lastOf, rankingOf, type Looked, type Ranking } from '../chart-statements.js';
import { merged, shifted, type ChartLine } from '../chart/lines.js';
import { isOfCalendar, widthFor, type BucketWidth } from '../ladder.js';

import type { Picture, RankedSeries } from '../chart/picture.js';
import type { QueryResult, QueryValue } from '../../client/client.js';
import type { TimeWindow } from '../time-window.js';
import type { TimeUnit } from '../zone.js';

/** Up to this many samples are drawn raw. */
const kSamplesMax = 20_000;
/**
 * The bucket width of a counter in sample intervals: a regular counter then has two samples in
 * each.
 */
const kIntervals = 2.5;

export interface PictureWish extends Omit<Looked, 'window'> {
  readonly window: TimeWindow;
  /** The label keys of the metric. */
  readonly keys: readonly string[];
  readonly order: Ranking;
  /** The most lines. */
  readonly lines: number;
  /** The ids of the only lines to draw; null: the first of the order. */
  readonly only: readonly string[] | null;
  /** The width of the chart in pixels. */
  readonly columns: number;
  readonly unit: TimeUnit;
}

export async function loadPicture(wish: PictureWish, signal: AbortSignal): Promise<Picture> {
  const statement = rankingOf(wish, wish);
  const answer = await rankingAnswer(statement, signal);
  const ranked = (answer?.rows ?? []).map((row) => rankedOf(wish, row));
  const selected = Number(answer?.stats['selected_series_count'] ?? 0);
  const count = wish.by === null ? Math.max(selected, ranked.length) : ranked.length;
  const drawn = chosen(wish, ranked);
  const { window } = wish;
  const base = { window, origin: window.start, ranked, count };
  if (drawn.length === 0) {
    return { ...base, width: null, lines: [], envelope: null, statements: [statement] };
  }
  const width = chosenWidth(wish, drawn);
  const reading = { wish, drawn, width, signal };
  const hasOthers =
    count > drawn.length && wish.only === null && !wish.isCounter && wish.by === null;
  const band = width ?? barest(wish);
  const [lines, envelope] = await Promise.all([
    readLines(reading),
    hasOthers ? readEnvelope(wish, band, signal) : null,
  ]);
  return {
    ...{ ...base, width, lines, envelope, ranked: withGrowth(wish, ranked, lines) },
    statements: [
      ...[statement, linesStatement(reading)],
      ...(hasOthers ? [envelopeOf(wish, band)] : []),
    ],
  };
}

/** A filter without matching series is no error here. */
async function rankingAnswer(statement: string, signal: AbortSignal): Promise<QueryResult | null> {
  try {
    return await ask((client) => client.seriesql(statement, { signal }));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'series_not_found') return null;
    throw error;
  }
}

function rankedOf({ by, keys, isCounter }: PictureWish, row: readonly QueryValue[]): RankedSeries {
  const names = by === null ? keys : [by];
  const [n, since, until] = row.slice(-3).map(Number);
  const figures = row.slice(by === null ? names.length + 1 : 1, -3).map(numberOrNull);
  const [lo = null, hi = null, mean = null, latest = null] = isCounter
    ? [null, null, ...figures]
    : figures;
  const values = by === null ? row.slice(1) : row;
  const labels = names.flatMap((key, at) => {
    const value = values[at];
    return typeof value === 'string' ? [[key, value] as const] : [];
  });
  const key = row[0] === null ? '' : String(row[0]);
  return {
    ...{ id: by === null ? key : numberOfText(key), key, labels: Object.fromEntries(labels) },
    ...{ lo, hi, mean, latest, n: n ?? 0 },
    interval: ((until ?? 0) - (since ?? 0)) / Math.max(1, (n ?? 0) - 1),
  };
}

const numberOrNull = (value: QueryValue): number | null => (value === null ? null : Number(value));

/** A 32-bit number that represents a text in an address: FNV-1a. */
function numberOfText(text: string): string {
  let sum = 0x811c9dc5;
  for (const character of text) {
    sum = Math.imul(sum ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return String(sum);
}

function chosen(wish: PictureWish, ranked: readonly RankedSeries[]): readonly RankedSeries[] {
  const { only } = wish;
  if (only !== null) {
    const wanted = new Set(only);
    const found = ranked.filter(({ id }) => wanted.has(id));
    if (found.length > 0) return found;
  }
  return ranked.slice(0, wish.lines);
}

/** Null: raw samples. */
function chosenWidth(wish: PictureWish, drawn: readonly RankedSeries[]): BucketWidth | null {
  const samples = drawn.reduce((sum, { n }) => sum + n, 0);
  if (samples <= kSamplesMax && !wish.isCounter && wish.by === null) return null;
  const least = wish.isCounter ? Math.max(...drawn.map((one) => one.interval)) * kIntervals : 0;
  return widthFor({ ...wish, ...{ span: spanOf(wish), lines: drawn.length, least } });
}

const spanOf = ({ window }: PictureWish): number => Number(window.end - window.start);

/** The band behind raw samples still needs buckets. */
const barest = (wish: PictureWish): BucketWidth =>
  widthFor({ ...wish, span: spanOf(wish), lines: 1 });

/** The largest and smallest growth are known for drawn lines only. */
function withGrowth(
  wish: PictureWish,
  ranked: readonly RankedSeries[],
  lines: readonly ChartLine[],
): readonly RankedSeries[] {
  if (!wish.isCounter) return ranked;
  const drawn = new Map(lines.map((line) => [line.id, line]));
  return ranked.map((one) => {
    const values = drawn.get(one.id)?.min;
    if (values === undefined || values.length === 0) return one;
    return {
      ...one,
      lo: values.reduce(smaller),
      hi: values.reduce(larger),
    };
  });
}

/** The same picture a little later: reads only the end of its lines. */
export async function goOn(
  last: Picture,
  wish: PictureWish,
  signal: AbortSignal,
): Promise<Picture> {
  const origin = wish.window.start;
  const start = lastBucket(last);
  const drawn = last.ranked.filter(({ id }) => last.lines.some((line) => line.id === id));
  const tailWish = { ...wish, window: { ...wish.window, start } };
  const tails = await readLines({ wish: tailWish, drawn, width: last.width, signal });
  const byId = new Map(tails.map((line) => [line.id, line]));
  const away = Number(origin - last.origin);
  const lines = last.lines.map((line) => {
    const tail = byId.get(line.id);
    const old = shifted(line, away);
    if (tail === undefined) return old;
    return merged(old, shifted(tail, Number(origin - start)), -(last.width?.ticks ?? 0));
  });
  const envelope = last.envelope === null ? null : shifted(last.envelope, away);
  const ranked = withNewest(last, wish, lines);
  return { ...last, origin, window: wish.window, ranked, lines, envelope };
}

/** Updates figures from the drawn lines; the others stay as old as the ranking. */
function withNewest(
  { ranked, width }: Picture,
  wish: PictureWish,
  lines: readonly ChartLine[],
): readonly RankedSeries[] {
  if (wish.isCounter || wish.by !== null) return withGrowth(wish, ranked, lines);
  const drawn = new Map(lines.map((line) => [line.id, line]));
  return ranked.map((one) => {
    const line = drawn.get(one.id);
    const latest = line?.last.at(-1);
    if (line === undefined || latest === undefined) return one;
    const [lo, hi] = [line.min.reduce(smaller), line.max.reduce(larger)];
    const n = line.xs.length;
    const whole = { mean: line.mean.reduce((sum, value) => sum + value, 0) / n, n };
    return { ...one, lo, hi, latest, ...(width === null ? whole : {}) };
  });
}

const smaller = (one: number, two: number): number => Math.min(one, two);
const larger = (one: number, two: number): number => Math.max(one, two);

/** The start of the last bucket that may be complete. */
function lastBucket({ lines, origin, width }: Picture): bigint {
  const newest = lines.reduce((most, { xs }) => Math.max(most, xs.at(-1) ?? 0), 0);
  // Calendar buckets differ in length, so the start of the previous one is unknown.
  const back = width === null || isOfCalendar(width) ? 0 : width.ticks;
  return origin + BigInt(Math.max(0, Math.floor(newest - back)));
}

/** The time of the last sample of the shown data; null: no samples. */
export async function lastTime(looked: Looked, signal: AbortSignal): Promise<bigint | null> {
  const answer = await rankingAnswer(lastOf(looked), signal);
  const last = answer?.rows[0]?.[0];
  return typeof last === 'bigint' ? last : null;
}
