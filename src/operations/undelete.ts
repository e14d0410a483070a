/** What a snapshot keeps and the database lacks, brought back. */

import { timeRange } from '../model/time-range.js';

import { seriesFilter } from './discovery.js';
import { checkedSnapshotName, type LinePieces, type Maintained } from './maintenance.js';

import type { LabelPairs } from '../model/selector.js';

/** What is left out does not narrow it. */
export interface UndeleteQuestion {
  /** The name of a snapshot. */
  readonly asOf: string | undefined;
  /** Counts before `prefix`. */
  readonly metric: string | undefined;
  readonly prefix: string | undefined;
  readonly labels: LabelPairs | undefined;
  /** In the database's unit, inclusive. */
  readonly start: bigint | undefined;
  readonly end: bigint | undefined;
  /** Only counts. */
  readonly isDryRun: boolean;
}

const everBefore = -(2n ** 63n);
const everAfter = 2n ** 63n - 1n;

/** Throws `invalid_name`, `invalid_time_range`. */
export function beginUndelete(database: Maintained, asked: UndeleteQuestion): LinePieces {
  return database.openUndelete({
    snapshot: checkedSnapshotName(asked.asOf),
    filter: seriesFilter(asked),
    ...timeRange(asked.start ?? everBefore, asked.end ?? everAfter),
    isDryRun: asked.isDryRun,
  });
}
