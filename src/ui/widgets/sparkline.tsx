/** A sparkline of a figure; its bottom is 0. */

import { sparkPath } from '../spark-path.js';

interface SparkOptions {
  /** The accessible name. */
  readonly name: string;
  readonly values: readonly number[];
}

const kWidth = 120;
const kHeight = 28;

export function Sparkline({ name, values }: SparkOptions) {
  if (values.length < 2) return <p class="spark quiet">Collecting data …</p>;
  const path = sparkPath(values, { width: kWidth, height: kHeight });
  return (
    <svg
      class="spark"
      role="img"
      aria-label={name}
      viewBox={`0 -1 ${kWidth} ${kHeight + 2}`}
      preserveAspectRatio="none"
    >
      <path class="ground" d={`${path}V${kHeight}H0Z`} />
      <path d={path} />
    </svg>
  );
}
