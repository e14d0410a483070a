/** One metric over a window: its descriptor and its picture. */

import { goOn, lastTime, loadPicture, type PictureWish } from './pictures.js';
import { SeriesDbError } from '../../client/client.js';
import { ask } from './server.js';
import { countOf } from '../chart-statements.js';
import { perSecond, type TimeUnit } from '../zone.js';

import type { MetricDescriptor } from '../../client/client.js';
import type { Picture } from '../chart/picture.js';
import type { TimeWindow } from '../time-window.js';

/** `metric` is null if no metric has the name. */
export interface Look {
  readonly metric: MetricDescriptor | null;
  readonly picture: Picture | null;
  /** The time of the last sample, if the window has none; null: no samples at all. */
  readonly lastTs: bigint | null;
  /** The reason why `picture` is null: the metric has too many series to rank. */
  readonly refusal: string | null;
  /** The number of refreshes in a row that read only the end of the lines. */
  readonly rounds: number;
  /** The longest window that fits the data, in ticks; null: no limit. */
  readonly fitMost: bigint | null;
}

/** After this many refreshes the legend is outdated, and there may be new series. */
const kRoundsMax = 20;

interface LookQuestion {
  readonly name: string;
  readonly wish: Omit<PictureWish, 'window' | 'metric' | 'keys' | 'isCounter'>;
  /** The window to show; `most` limits its length in ticks if it fits the data. */
  readonly windowOf: (metric: MetricDescriptor, most: bigint | null) => TimeWindow;
  /** True if the window fits the data. */
  readonly isFitted: boolean;
  /** The last answer to the same question; only its end is out of date. */
  readonly last: Look | null;
}

export async function loadLook(question: LookQuestion, signal: AbortSignal): Promise<Look> {
  const { name, last } = question;
  const metric = last?.metric ?? (await findMetric(name, signal));
  if (metric === null) return { ...nothing, metric };
  const unit = question.wish.unit;
  const fitMost =
    last === null && question.isFitted
      ? await fittingTicks(metric, unit, signal)
      : (last?.fitMost ?? null);
  const picture = last?.picture ?? null;
  const before = picture !== null && picture.lines.length > 0 ? picture : null;
  const known = before === null ? metric : { ...metric, last_ts: newestOf(before) };
  const wish: PictureWish = {
    ...{ ...question.wish, metric: name, keys: metric.label_keys },
    ...{ isCounter: metric.kind === 'counter', window: question.windowOf(known, fitMost) },
  };
  try {
    const rounds = last?.rounds ?? 0;
    if (before !== null && rounds < kRoundsMax) {
      const later = await goOn(before, wish, signal);
      return { ...nothing, metric, picture: later, rounds: rounds + 1, fitMost };
    }
    const whole = await loadPicture(wish, signal);
    const lastTs = whole.lines.length === 0 ? await lastTime(wish, signal) : null;
    return { ...nothing, metric, picture: whole, lastTs, fitMost };
  } catch (error) {
    const isTooMuch = error instanceof SeriesDbError && error.code === 'query_limit_exceeded';
    if (!isTooMuch) throw error;
    return { ...nothing, metric, refusal: error.message, fitMost };
  }
}

const nothing: Look = {
  ...{ metric: null, picture: null, lastTs: null, refusal: null, rounds: 0 },
  fitMost: null,
};

/** A fitted window is at least this long. */
const kFitSeconds = 6n * 3_600n;
/** Opening a metric reads about this many samples. */
const kFitSamples = 20_000_000n;

/** Estimates from the last six hours, so that a metric with many samples opens at its end. */
async function fittingTicks(
  { metric, first_ts: first, last_ts: last }: MetricDescriptor,
  unit: TimeUnit,
  signal: AbortSignal,
): Promise<bigint | null> {
  const least = kFitSeconds * perSecond(unit);
  if (first === null || last === null || last - first <= least) return null;
  const statement = countOf(metric, { start: last - least, end: last });
  const answer = await ask((client) => client.seriesql(statement, { signal }));
  const count = BigInt(String(answer.rows[0]?.[0] ?? 0));
  if (count * (last - first) <= kFitSamples * least) return null;
  const most = (kFitSamples * least) / count;
  return most > least ? most : least;
}

/** The time of the picture's last sample, which may be newer than the metric's descriptor. */
function newestOf({ lines, origin }: Picture): bigint {
  const newest = lines.reduce((most, { xs }) => Math.max(most, xs.at(-1) ?? 0), 0);
  return origin + BigInt(Math.round(newest));
}

/** Metrics are sorted: if the exact name exists, it comes first. */
async function findMetric(name: string, signal: AbortSignal): Promise<MetricDescriptor | null> {
  const [first] = await ask((client) => client.findMetrics({ prefix: name, limit: 1 }, { signal }));
  return first?.metric === name ? first : null;
}
