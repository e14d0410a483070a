/** A language that others are asked in: a text for each kind of question, of what a draw says. */
import type { Draw } from './draw.js';

export interface Words {
  /** The greatest value of each bucket, over the hosts; of each metric by itself. */
  readonly maxByMetric: (asked: Draw, bucketMs: number) => string;
  /** The newest buckets of a minute, over all hosts: the window is as long as these. */
  readonly newestMax: (asked: Draw) => string;
  readonly averageByHost: (asked: Draw, bucketMs: number) => string;
  readonly rowsAbove: (asked: Draw, least: number) => string;
  /** Of all hosts but those drawn, as they are at the end. */
  readonly lastValues: (asked: Draw) => string;
  /** What counters of each host grow by in five minutes, a second; each minute. */
  readonly ratesByHost?: (asked: Draw) => string;
  /** The samples as they are. */
  readonly samples: (asked: Draw) => string;
}
