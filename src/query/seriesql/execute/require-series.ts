/** Checks that a plan can read the selected series. */

import { AppError } from '../../../common/errors/app-error.js';

import type { SelectPlan } from '../plan/plan.js';

/** True if nothing in a row would tell which of several series it belongs to. */
export function mustBeOneSeries(plan: SelectPlan): boolean {
  return plan.shape.kind === 'raw' && !plan.identifiesSeries;
}

/** Throws `series_not_found`, or `ambiguous_selector` if rows of several series look alike. */
export function requireSeries(plan: SelectPlan, count: number): void {
  if (count === 0) {
    throw new AppError('series_not_found', 'the selector matches no series');
  }
  if (count === 1 || !mustBeOneSeries(plan)) return;
  const hint = 'add metric, series_id or a label to the SELECT, or narrow the selection';
  const message = `the selector matches ${count} series, but no column tells their rows apart`;
  throw new AppError('ambiguous_selector', `${message}; ${hint}`);
}
