/** Computes which rows of a long table to render: the visible ones and a margin. */

export interface Sight {
  /** Pixels of rows above the visible area; negative: the first row starts below its top. */
  readonly top: number;
  readonly height: number;
}

interface RowRange {
  /** The first rendered row, and the row after the last. */
  readonly first: number;
  readonly end: number;
  /** The height of the rows before and after, in pixels. */
  readonly before: number;
  readonly behind: number;
}

/** Rows rendered beyond each edge, so that a key or a turn of the wheel finds them. */
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

/** The first row that ends after `place`. */
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
