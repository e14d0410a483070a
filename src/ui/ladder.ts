/** How wide buckets are: round widths, so that a window moved a little asks for the same ones. */

import { perSecond, type TimeUnit } from './zone.js';

export interface BucketWidth {
  /** As a statement has it. */
  readonly text: string;
  /** In the unit of the database. */
  readonly ticks: number;
}

const kRowsMax = 50_000;
/** A line with a point on each pixel is a comb, where what it measures goes up and down. */
const kPixelsPerBucket = 3;

const small = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const sixty = [1, 2, 5, 10, 15, 30];

/** Name, seconds of one, and how many of it are a width, ascending. */
const steps = [
  ['ns', 1e-9, small],
  ['us', 1e-6, small],
  ['ms', 1e-3, small],
  ['s', 1, sixty],
  ['m', 60, sixty],
  ['h', 3_600, [1, 2, 3, 6, 12]],
  ['d', 86_400, [1]],
  ['w', 604_800, [1]],
  // Of the calendar: as long as they are in the mean.
  ['mo', 2_629_746, [1, 3]],
  ['y', 31_556_952, [1, 10]],
] as const;

/** Days and what is longer begin where they do on the clocks of a zone. */
export const isOfCalendar = ({ text }: BucketWidth): boolean => /[dwoy]$/.test(text);

/** Those that are whole numbers of the unit, ascending. */
function widthsOf(unit: TimeUnit): readonly BucketWidth[] {
  const size = Number(perSecond(unit));
  return steps.flatMap(([name, seconds, counts]) =>
    counts
      .map((count) => ({ text: `${count}${name}`, ticks: Math.round(count * seconds * size) }))
      .filter(({ ticks }, at) => ticks >= 1 && seconds * size * (counts[at] ?? 1) > 0.999),
  );
}

interface Wanted {
  readonly unit: TimeUnit;
  /** Of the window, in the unit. */
  readonly span: number;
  /** Pixels side by side. */
  readonly columns: number;
  readonly lines: number;
  /** No narrower one: a counter with one sample in a bucket has no rate there. */
  readonly least?: number;
}

/** The narrowest width that a screen and an answer have room for. */
export function widthFor({ unit, span, columns, lines, least = 0 }: Wanted): BucketWidth {
  const widths = widthsOf(unit);
  const most = Math.max(1, Math.min(columns / kPixelsPerBucket, kRowsMax / Math.max(1, lines)));
  const found = widths.find(({ ticks }) => ticks >= least && span / ticks <= most);
  return found ?? widths.at(-1) ?? { text: '1y', ticks: span };
}
