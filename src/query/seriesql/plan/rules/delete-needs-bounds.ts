import { hullOf } from '../intervals.js';

import type { CheckedWhere, Rule } from './rule.js';

/** Prevents a DELETE of all times because a bound was forgotten. */
export const deleteNeedsBounds: Rule<CheckedWhere> = ({ span, intervals }) => {
  if (intervals.length === 0 || hullOf(intervals) !== null) return null;
  const hint = 'write where time between A and B, or leave WHERE out to delete all times';
  return { span, message: 'DELETE needs time bounded on both sides', hint };
};
