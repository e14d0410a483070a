/** Lines of values over time, the input of charts. */

export interface DottedLine {
  readonly name: string;
  /** Ascending by time. */
  readonly points: readonly DottedPoint[];
}

export interface DottedPoint {
  /** In the database's unit, exact enough for a chart. */
  readonly time: number;
  /** Null for a gap. */
  readonly value: number | null;
}

/** Both ends of a range, which may be equal. */
export interface ValueExtent {
  readonly least: number;
  readonly greatest: number;
}

/** Null without any number. */
export function extentOf(numbers: Iterable<number | null>): ValueExtent | null {
  let least = Infinity;
  let greatest = -Infinity;
  for (const number of numbers) {
    if (number === null) continue;
    least = Math.min(least, number);
    greatest = Math.max(greatest, number);
  }
  return least > greatest ? null : { least, greatest };
}

/** The bucket of a number among `count`; the middle one if all numbers are equal. */
export function placeOf(number: number, { least, greatest }: ValueExtent, count: number): number {
  // Halves, because the difference of two doubles may overflow.
  const width = greatest / 2 - least / 2;
  const share = width === 0 ? 0.5 : (number / 2 - least / 2) / width;
  return Math.min(count - 1, Math.floor(share * count));
}

/** Five digits, the precision of a chart. */
export function shortNumber(number: number): string {
  const digits = number.toPrecision(5);
  // The largest doubles would be rounded to infinity.
  return Number.isFinite(Number(digits)) ? String(Number(digits)) : digits;
}
