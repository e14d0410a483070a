import type { SelectRule } from './rule.js';

export const havingNeedsGroups: SelectRule = ({ node, isGrouped }) => {
  if (isGrouped || node.having === null) return null;
  const hint = 'conditions on rows go into WHERE';
  return { span: node.having.span, message: 'HAVING needs GROUP BY or an aggregate', hint };
};
