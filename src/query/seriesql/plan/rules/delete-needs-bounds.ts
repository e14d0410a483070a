import { asksForSamples, hullOf } from '../intervals.js';

import type { CheckedWhere, Rule } from './rule.js';

/** A longer source or condition is not repeated in a hint. */
const kShownMax = 80;

interface CheckedDelete extends CheckedWhere {
  /** The source and the condition as written. */
  readonly from: string;
  readonly where: string;
}

/** Prevents a DELETE of all times because a bound was forgotten. */
export const deleteNeedsBounds: Rule<CheckedDelete> = ({ span, intervals, from, where }) => {
  if (intervals.length === 0 || hullOf(intervals) !== null) return null;
  const range = 'write where time between A and B';
  const hint = asksForSamples(intervals) ? range : wholeSeries(from, where);
  return { span, message: 'DELETE needs time bounded on both sides', hint };
};

const equalities = /^(?:tag\.\w+\s*=\s*'[^']*'\s*(?:and\s+|$))+$/i;
const equality = /tag\.(\w+)\s*=\s*('[^']*')/gi;

/**
 * Series are deleted with all their times by labels behind the metric. Without WHERE alone, all
 * series of the metric would go.
 */
function wholeSeries(from: string, where: string): string {
  const isKnown =
    from.length + where.length <= kShownMax && !from.endsWith('}') && equalities.test(where);
  const labels = [...where.matchAll(equality)].map(([, key = '', value = '']) => key + '=' + value);
  const series = isKnown ? `${from}{${labels.join(', ')}}` : "cpu.load{host='a'}";
  return `add time between A and B; for all times write labels behind the metric: delete from ${series}`;
}
