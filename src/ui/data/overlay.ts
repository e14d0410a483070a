/** A metric in two windows, drawn as two lines over the times of the first. */

import { meansOf, type Looked } from '../chart-statements.js';
import { flat, gapOf, type ChartLine } from '../chart/lines.js';
import { widthFor, type BucketWidth } from '../ladder.js';
import { readColumns, withoutHoles } from './picture-lines.js';

import type { Picture } from '../chart/picture.js';
import type { TimeUnit } from '../zone.js';
import type { CompareStretch } from './compare.js';

/** The ids of its lines. */
export const overlaid = { now: '0', then: '1' } as const;

/** A counter's rate needs two samples in a bucket; four intervals always contain them. */
const kIntervals = 4;

interface OverlayWish extends Omit<Looked, 'window' | 'by'> {
  readonly now: CompareStretch;
  readonly then: CompareStretch;
  /**
   * The approximate distance of a series' samples, in ticks. Narrower buckets would average
   * changing series.
   */
  readonly interval: number;
  /** The width of the chart in pixels. */
  readonly columns: number;
  readonly unit: TimeUnit;
}

export async function loadOverlay(wish: OverlayWish, signal: AbortSignal): Promise<Picture> {
  const { now, then, isCounter, interval } = wish;
  const span = Number(now.end - now.start);
  const least = interval * (isCounter ? kIntervals : 1);
  const width = widthFor({ ...wish, span, lines: 2, least });
  const [one, two] = await Promise.all([
    readMeans({ ...wish, window: now, by: null }, width, signal),
    readMeans({ ...wish, window: then, by: null }, width, signal),
  ]);
  const lines = [
    { ...one, id: overlaid.now },
    { ...two, id: overlaid.then },
  ];
  return {
    ...{ window: { ...now, endsNow: false }, origin: now.start, width, ranked: [], count: 2 },
    ...{ lines: lines.filter(({ xs }) => xs.length > 0), envelope: null, statements: [] },
  };
}

async function readMeans(
  looked: Looked,
  width: BucketWidth,
  signal: AbortSignal,
): Promise<Omit<ChartLine, 'id'>> {
  const values = looked.isCounter ? 1 : 3;
  const { numbers } = await readColumns(meansOf(looked, width), {
    kinds: ['time', ...Array.from({ length: values }, () => 'value' as const)],
    ...{ origin: looked.window.start, signal },
  });
  const [xs = new Float64Array(), mean = xs, min, max] = numbers;
  const points =
    min === undefined || max === undefined
      ? withoutHoles({ xs, ...flat(mean) })
      : { xs, mean, last: mean, min, max };
  const rhythm = { widthTicks: width.ticks, samples: 0 };
  return { ...points, gapTicks: gapOf(points.xs, rhythm) };
}
