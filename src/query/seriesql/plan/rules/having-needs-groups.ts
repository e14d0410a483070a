import type { SelectRule } from './rule.js';

export const havingNeedsGroups: SelectRule = ({ node, isGrouped }) => {
  if (isGrouped || node.having === null) return null;
  const hint =
    'put conditions on rows into WHERE; of lag(value) and its like, order by x desc limit 10';
  return { span: node.having.span, message: 'HAVING needs GROUP BY or an aggregate', hint };
};
