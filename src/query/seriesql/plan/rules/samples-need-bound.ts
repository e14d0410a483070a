import { aggregateFunctions, type AggregateName } from '../../functions/aggregate-functions.js';

import type { AggregateFunction } from '../../functions/aggregate-function.js';
import type { ReadRule } from './rule.js';

/**
 * Reading all samples of a database is rarely intended. Groups, and samples at either end, are
 * fine.
 */
export const samplesNeedBound: ReadRule = ({ node, keys, aggregates, where }, shape) => {
  if (where.isBounded || shape === 'constant' || shape === 'series') return null;
  const areAtAnEnd = aggregates.every(({ name }) => isAtAnEnd(name));
  if (shape === 'grouped' && (keys.length > 0 || areAtAnEnd)) return null;
  const hint = 'add one, such as: where time >= now() - 1h';
  const span = node.from?.span ?? { start: 0, end: 0 };
  return { span, message: 'this reads samples without a bound on time', hint };
};

function isAtAnEnd(name: AggregateName): boolean {
  const called: AggregateFunction = aggregateFunctions[name];
  return called.isAtAnEnd === true;
}
