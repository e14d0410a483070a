/** Limits of an engine; part of the contract. */

import type { DatabaseTime, Milliseconds } from '../../common/model/timestamp-unit.js';
import type { NativeRetentionRule } from './retention-contract.js';

/** Settings that may change while an engine is open. Sizes in bytes, times in milliseconds. */
export interface NativeEngineLimits {
  readonly memtableMaxBytes: number;
  readonly flushIntervalMs: Milliseconds;
  /** Commits that were the head within this time stay readable. */
  readonly historyKeepMs: Milliseconds;
  readonly memoryLimitBytes: number;
  readonly maxLineBytes: number;
  readonly maxBodyBytes: number;
  /** The largest offset of ts above the clock, in the database's unit; -1n = no check. */
  readonly maxFutureSkew: DatabaseTime;
  /** The first rule that matches a metric applies. Metrics without a rule are kept forever. */
  readonly retention: readonly NativeRetentionRule[];
}
