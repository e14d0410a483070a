import type { SelectRule } from './rule.js';

export const groupsNeedFrom: SelectRule = ({ node }) => {
  const [key] = node.groupBy;
  if (key === undefined || node.from !== null) return null;
  return { span: key.span, message: 'GROUP BY needs a FROM' };
};
