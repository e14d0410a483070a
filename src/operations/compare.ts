/** One aggregate of one series, over two time windows. */

import type { Aggregate } from '../model/aggregate.js';
import type { Selector } from '../model/selector.js';
import type { TimeRange } from '../model/time-range.js';
import type { Storage } from '../storage/storage.js';

export interface CompareQuestion {
  readonly selector: Selector;
  readonly aggregate: Aggregate;
  readonly current: TimeRange;
  readonly baseline: TimeRange;
}

/**
 * Resolves with the JSON answer. Rejects with `series_not_found`, `ambiguous_selector`,
 * `storage_corrupt`.
 */
export function compareWindows(storage: Storage, question: CompareQuestion): Promise<string> {
  const { selector, aggregate, current, baseline } = question;
  return storage.compare({
    selector,
    aggregate,
    start: current.start,
    end: current.end,
    baselineStart: baseline.start,
    baselineEnd: baseline.end,
  });
}
