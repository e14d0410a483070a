/** Bucket widths. They are round, so that a slightly moved window requests the same buckets. */

import { perSecond, type TimeUnit } from './zone.js';

export interface BucketWidth {
  /** As in a statement. */
  readonly text: string;
  /** In the unit of the database. */
  readonly ticks: number;
}

const kRowsMax = 50_000;
/** A noisy line with a point on every pixel would be a solid comb. */
const kPixelsPerBucket = 3;

const small = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const sixty = [1, 2, 5, 10, 15, 30];

/** Unit name, its seconds, and the counts of units that make a width, ascending. */
const steps = [
  ['ns', 1e-9, small],
  ['us', 1e-6, small],
  ['ms', 1e-3, small],
  ['s', 1, sixty],
  ['m', 60, sixty],
  ['h', 3_600, [1, 2, 3, 6, 12]],
  ['d', 86_400, [1]],
  ['w', 604_800, [1]],
  // Calendar units, by their mean length.
  ['mo', 2_629_746, [1, 3]],
  ['y', 31_556_952, [1, 10]],
] as const;

/** True if buckets start by the clock of a zone: days and longer. */
export const isOfCalendar = ({ text }: BucketWidth): boolean => /[dwoy]$/.test(text);

/** The widths that are whole numbers of the unit, ascending. */
function widthsOf(unit: TimeUnit): readonly BucketWidth[] {
  const size = Number(perSecond(unit));
  return steps.flatMap(([name, seconds, counts]) =>
    counts
      .map((count) => ({ text: `${count}${name}`, ticks: Math.round(count * seconds * size) }))
      .filter(({ ticks }, at) => ticks >= 1 && seconds * size * (counts[at] ?? 1) > 0.999),
  );
}

interface WantedStep {
  readonly unit: TimeUnit;
  /** The length of the window, in the unit. */
  readonly span: number;
  /** The width of the chart in pixels. */
  readonly columns: number;
  readonly lines: number;
  /** The minimum width: a counter with one sample in a bucket has no rate there. */
  readonly least?: number;
}

/** The narrowest width that keeps within the limits of pixels and rows. */
export function widthFor({ unit, span, columns, lines, least = 0 }: WantedStep): BucketWidth {
  const widths = widthsOf(unit);
  const most = Math.max(1, Math.min(columns / kPixelsPerBucket, kRowsMax / Math.max(1, lines)));
  const found = widths.find(({ ticks }) => ticks >= least && span / ticks <= most);
  return found ?? widths.at(-1) ?? { text: '1y', ticks: span };
}
