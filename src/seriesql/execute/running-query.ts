import type { Execution } from './execution.js';
import type { QueryStats } from './query-stats.js';

/** A query whose rows are being read. */
export interface RunningQuery extends Execution {
  /** After the last row: all figures. Before: those known so far. */
  stats(): QueryStats;
  cancel(): void;
}
