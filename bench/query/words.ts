/** Another query language: one text per kind of question, from a draw. */
import type { Draw } from './draw.js';

export interface Words {
  /** The maximum of each bucket over the hosts, separately for each metric. */
  readonly maxByMetric: (asked: Draw, bucketMs: number) => string;
  /** The newest one-minute buckets over all hosts; the window is as long as the buckets. */
  readonly newestMax: (asked: Draw) => string;
  readonly averageByHost: (asked: Draw, bucketMs: number) => string;
  readonly rowsAbove: (asked: Draw, least: number) => string;
  /** The last values of all hosts except the drawn ones, at the window's end. */
  readonly lastValues: (asked: Draw) => string;
  /** The per-second growth of each host's counters over five minutes, at each minute. */
  readonly ratesByHost?: (asked: Draw) => string;
  /** The raw samples. */
  readonly samples: (asked: Draw) => string;
}
