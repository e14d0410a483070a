/** One metric over a window: what it is, and its picture. */

import { goOn, lastTime, loadPicture, type PictureWish } from './pictures.js';
import { SeriesDbError } from '../../client/client.js';
import { ask } from './server.js';
import { countOf } from '../chart-statements.js';
import { perSecond, type TimeUnit } from '../zone.js';

import type { MetricDescriptor } from '../../client/client.js';
import type { Picture } from '../chart/picture.js';
import type { TimeWindow } from '../time-window.js';

/** `metric` is null where there is none of the name. */
export interface Look {
  readonly metric: MetricDescriptor | null;
  readonly picture: Picture | null;
  /** When the last sample is, where none is in the window; null: none at all. */
  readonly lastTs: bigint | null;
  /** Why there is none although there are series: they are too many to be ranked. */
  readonly refusal: string | null;
  /** So many times only the end of its lines was asked for. */
  readonly rounds: number;
  /** Ticks of the longest window that fits to its data; null: no matter how long. */
  readonly fitMost: bigint | null;
}

/** Then the legend is old, and there may be other series. */
const kRoundsMax = 20;

interface LookQuestion {
  readonly name: string;
  readonly wish: Omit<PictureWish, 'window' | 'metric' | 'keys' | 'isCounter'>;
  /** Of a metric, now; `most` ticks long, where it fits to the data. */
  readonly windowOf: (metric: MetricDescriptor, most: bigint | null) => TimeWindow;
  /** The window is as long as the data. */
  readonly isFitted: boolean;
  /** The answer to the same question before, of which only the end is another now. */
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

/** So long a window is shown of any metric. */
const kFitSeconds = 6n * 3_600n;
/** About so many samples are read to open a metric. */
const kFitSamples = 20_000_000n;

/** From how many samples its last hours have: a metric with very many opens on its end. */
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

/** Of a picture that goes on, the last sample is newer than what its metric said at first. */
function newestOf({ lines, origin }: Picture): bigint {
  const newest = lines.reduce((most, { xs }) => Math.max(most, xs.at(-1) ?? 0), 0);
  return origin + BigInt(Math.round(newest));
}

/** The first metric whose name begins so is the one that is named so. */
async function findMetric(name: string, signal: AbortSignal): Promise<MetricDescriptor | null> {
  const [first] = await ask((client) => client.findMetrics({ prefix: name, limit: 1 }, { signal }));
  return first?.metric === name ? first : null;
}
