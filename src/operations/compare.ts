/** Compares an aggregate of one series over two time windows. */

import { AppError } from '../common/errors/app-error.js';

import { meantLabels } from './names/meant-labels.js';
import { meantMetric } from './names/meant-metric.js';

import type { RangeAggregate } from '../common/model/aggregate.js';
import type { Selector } from '../common/model/selector.js';
import type { TimeRange } from '../common/model/time-range.js';
import type { SeriesStore } from '../storage/storage.js';

export interface CompareQuestion {
  readonly selector: Selector;
  readonly aggregate: RangeAggregate;
  readonly current: TimeRange;
  readonly baseline: TimeRange;
}

/**
 * Resolves with the JSON answer. Rejects with `series_not_found`, `ambiguous_selector`,
 * `storage_corrupt`.
 */
export async function compareWindows(
  storage: SeriesStore,
  { selector, aggregate, current, baseline }: CompareQuestion,
): Promise<string> {
  const { start, end } = current;
  const { start: baselineStart, end: baselineEnd } = baseline;
  try {
    const windows = { start, end, baselineStart, baselineEnd };
    return await storage.compare({ selector, aggregate, ...windows });
  } catch (error) {
    throw await withMeantMetric(error, storage, selector);
  }
}

async function withMeantMetric(
  error: unknown,
  storage: SeriesStore,
  selector: Selector,
): Promise<unknown> {
  const isUnknown = error instanceof AppError && error.code === 'series_not_found';
  if (!isUnknown || !('name' in selector)) return error;
  const { name, labels } = selector;
  const meant = labels === null ? undefined : await meantLabels(storage, name, labels);
  const hint = meant ?? (await meantMetric(storage, name));
  return new AppError(error.code, hint === undefined ? error.message : `${error.message}; ${hint}`);
}
