/** Describes a chart in a sentence, for screen readers and below its image. */

import { extentOf } from '../chart/lines.js';
import { printCount, printValue, unitSymbol } from '../units.js';
import { windowWords } from './window-words.js';

import type { MetricDescriptor } from '../../client/client.js';
import type { Picture } from '../chart/picture.js';
import type { TimeStretch } from '../chart/time-scale.js';
import type { PageClock } from '../zone.js';

interface ChartLabelOptions {
  readonly metric: string;
  readonly picture: Picture;
  readonly window: TimeStretch;
  readonly hidden: ReadonlySet<string>;
  readonly unit: string;
  readonly by: string | null;
  readonly clock: PageClock;
  /** Replaces the count of series in the sentence. */
  readonly what?: string;
}

/** A counter is drawn as its growth per second. */
export const drawnUnit = ({ kind, unit = '' }: MetricDescriptor): string =>
  kind === 'counter' ? `${unit}/s` : unit;

/** `20 of 1,000 series` */
export function countWords({
  picture,
  hidden,
  by,
}: Pick<ChartLabelOptions, 'picture' | 'hidden' | 'by'>): string {
  const shown = picture.lines.filter(({ id }) => !hidden.has(id)).length;
  const things = by === null ? 'series' : `${picture.count === 1 ? 'value' : 'values'} of ${by}`;
  const all = printCount(picture.count);
  return shown === picture.count ? `${all} ${things}` : `${printCount(shown)} of ${all} ${things}`;
}

export function chartLabel(options: ChartLabelOptions): string {
  const { metric, picture, window, hidden, unit, clock } = options;
  const lines = picture.lines.filter(({ id }) => !hidden.has(id));
  const { origin } = picture;
  const extent = extentOf(lines, [Number(window.start - origin), Number(window.end - origin)]);
  const range = extent === null ? 'no samples' : rangeWords(extent.min, extent.max, unit);
  const what = options.what ?? countWords(options);
  return `Chart of ${metric}, ${what}, ${windowWords(window, clock)}, ${range}`;
}

/** `18.8 to 80.2 percent` */
function rangeWords(low: number, high: number, unit: string): string {
  if (unitSymbol(unit) !== '%') return `${printValue(low, unit)} to ${printValue(high, unit)}`;
  return `${printValue(low, '')} to ${printValue(high, '')} percent`;
}
