/** Whether the series that were selected can be read as the plan says. */

import { AppError } from '../../../common/errors/app-error.js';

import type { SelectPlan } from '../plan/plan.js';

/** Whether rows of several series would come without what says whose they are. */
export function mustBeOneSeries(plan: SelectPlan): boolean {
  return plan.shape.kind === 'raw' && !plan.identifiesSeries;
}

/** Throws `series_not_found`, and `ambiguous_selector` where nothing says which row is whose. */
export function requireSeries(plan: SelectPlan, count: number): void {
  if (count === 0) {
    throw new AppError('series_not_found', 'the selector matches no series');
  }
  if (count === 1 || !mustBeOneSeries(plan)) return;
  const hint = 'add metric, series_id or a label to the SELECT, or narrow the selection';
  const message = `the selector matches ${count} series, but no column tells their rows apart`;
  throw new AppError('ambiguous_selector', `${message}; ${hint}`);
}
