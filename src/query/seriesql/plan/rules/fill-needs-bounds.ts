import type { SelectRule } from './rule.js';

/** Without bounds, the number of buckets would be infinite. */
export const fillNeedsBounds: SelectRule = ({ node, fill, where }) => {
  if (node.fill === null || fill === null) return null;
  if (where.isClosed) return null;
  const hint = 'add a condition such as time between A and B';
  return { span: node.fill.span, message: 'FILL needs time bounded on both sides', hint };
};
