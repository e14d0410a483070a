/** Retention rules; part of the contract. */

import type { DatabaseTime } from '../../common/model/timestamp-unit.js';

/** Covers the metrics that `match` names; `*` stands for any text. */
export interface NativeRetentionRule {
  readonly match: string;
  /** Only series with these labels; flat: key, value, … */
  readonly labels: readonly string[];
  /** In the database's unit; above 0. */
  readonly keep: DatabaseTime;
}
