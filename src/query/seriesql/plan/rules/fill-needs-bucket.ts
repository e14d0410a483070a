import { bucketPlaces } from '../fill-planner.js';

import type { SelectRule } from './rule.js';

export const fillNeedsBucket: SelectRule = ({ node, keys }) => {
  if (node.fill === null || bucketPlaces(keys).length === 1) return null;
  const message = 'FILL needs exactly one time_bucket of time in GROUP BY';
  return { span: node.fill.span, message };
};
