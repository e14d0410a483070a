/** Which rows of a long table are drawn: those in sight and some more, however many there are. */

export interface Sight {
  /** Pixels of the rows that are above what is seen; negative: they begin below its top. */
  readonly top: number;
  readonly height: number;
}

interface RowRange {
  /** The first row that is drawn, and the one behind the last. */
  readonly first: number;
  readonly end: number;
  /** Pixels that the rows before and behind them take. */
  readonly before: number;
  readonly behind: number;
}

/** Rows beyond the edges, so that a step by key or a turn of the wheel finds them there. */
const kMargin = 12;

export function rangeInSight(heights: readonly number[], { top, height }: Sight): RowRange {
  const ends: number[] = [];
  let sum = 0;
  for (const one of heights) {
    sum += one;
    ends.push(sum);
  }
  const inSight = indexBehind(ends, top);
  const behindSight = indexBehind(ends, top + height) + 1;
  const first = Math.max(0, inSight - kMargin);
  const end = Math.min(heights.length, behindSight + kMargin);
  return {
    ...{ first: Math.min(first, end), end },
    before: ends[Math.min(first, end) - 1] ?? 0,
    behind: sum - (ends[end - 1] ?? 0),
  };
}

/** The first row that ends behind this place. */
function indexBehind(ends: readonly number[], place: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
