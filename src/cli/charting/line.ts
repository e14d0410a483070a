/** What a chart is drawn of: lines of values over time. */

export interface Line {
  readonly name: string;
  /** Ascending by time. */
  readonly points: readonly Point[];
}

export interface Point {
  /** In the database's unit; as exact as a picture needs it. */
  readonly time: number;
  /** Null where the line has a gap. */
  readonly value: number | null;
}

/** Both ends of what is drawn, which may be the same. */
export interface Extent {
  readonly least: number;
  readonly greatest: number;
}

/** Null of no number at all. */
export function extentOf(numbers: Iterable<number | null>): Extent | null {
  let least = Infinity;
  let greatest = -Infinity;
  for (const number of numbers) {
    if (number === null) continue;
    least = Math.min(least, number);
    greatest = Math.max(greatest, number);
  }
  return least > greatest ? null : { least, greatest };
}

/** Which of `count` places a number falls into; the middle one where all numbers are the same. */
export function placeOf(number: number, { least, greatest }: Extent, count: number): number {
  // Halves, since the difference of two doubles may be none.
  const width = greatest / 2 - least / 2;
  const share = width === 0 ? 0.5 : (number / 2 - least / 2) / width;
  return Math.min(count - 1, Math.floor(share * count));
}

/** Five digits, which is what a picture tells. */
export function shortNumber(number: number): string {
  const digits = number.toPrecision(5);
  // The largest doubles would be rounded to more than there is.
  return Number.isFinite(Number(digits)) ? String(Number(digits)) : digits;
}
