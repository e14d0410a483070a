/** One line as a row of bars. */

import { extentOf, placeOf, type ValueExtent, type DottedLine } from './line.js';

const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** One bar per time range, as high as its mean; blank without values. */
export function sparkline({ points }: DottedLine, times: ValueExtent, columns: number): string {
  const sums = new Float64Array(columns);
  const counts = new Float64Array(columns);
  for (const { time, value } of points) {
    if (value === null) continue;
    const at = placeOf(time, times, columns);
    sums[at] = (sums[at] ?? 0) + value;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  const means = Array.from(counts, (count, at) => (count === 0 ? null : (sums[at] ?? 0) / count));
  const values = extentOf(means);
  if (values === null) return '';
  return means
    .map((mean) => (mean === null ? ' ' : (bars[placeOf(mean, values, bars.length)] ?? ' ')))
    .join('');
}
