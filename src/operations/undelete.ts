/** Restores samples that a past state has and the database lacks. */

import { AppError } from '../common/errors/app-error.js';
import { checkedPastState } from '../common/model/past-state.js';
import { timeRange } from '../common/model/time-range.js';
import { kFirstTime, kLastTime } from '../common/model/timestamp-unit.js';

import { heldBy } from './byte-streams.js';
import { seriesFilter } from './discovery.js';

import type { LabelPairs } from '../common/model/selector.js';
import type { DatabaseTime, TimestampUnit } from '../common/model/timestamp-unit.js';
import type { LinePieces, Maintained } from './maintenance.js';

/** Absent members do not restrict the undelete. */
export interface UndeleteQuestion {
  /** See `parsePastState`. */
  readonly asOf: string | undefined;
  readonly unit: TimestampUnit;
  /** `metric` and `prefix` exclude each other. */
  readonly metric: string | undefined;
  readonly prefix: string | undefined;
  readonly labels: LabelPairs | undefined;
  /** Inclusive. */
  readonly start: DatabaseTime | undefined;
  readonly end: DatabaseTime | undefined;
  /** True to only count the samples. */
  readonly isDryRun: boolean;
}

/** Throws `invalid_name`, `invalid_prefix`, `invalid_time_range`. */
export function beginUndelete(
  database: Pick<Maintained, 'openUndelete'>,
  asked: UndeleteQuestion,
): LinePieces {
  if (asked.metric !== undefined && asked.prefix !== undefined) {
    throw new AppError('invalid_prefix', 'metric and prefix exclude each other');
  }
  return database.openUndelete({
    past: checkedPastState(asked.asOf ?? '', asked.unit),
    filter: seriesFilter(asked),
    ...timeRange(asked.start ?? kFirstTime, asked.end ?? kLastTime),
    isDryRun: asked.isDryRun,
  });
}

/** Allows one undelete at a time, since each reads its state with its own index. */
export class OneUndelete {
  #isRunning = false;

  /** Throws `too_many_queries`. */
  begin(open: () => LinePieces): LinePieces {
    if (this.#isRunning) throw new AppError('too_many_queries', 'another undelete is running');
    const work = open();
    this.#isRunning = true;
    return heldBy(work, () => {
      this.#isRunning = false;
    });
  }
}
