import type { SelectRule } from './rule.js';

export const starNeedsFrom: SelectRule = ({ node }) => {
  const star = node.items.find(({ kind }) => kind === 'star');
  if (star === undefined || node.from !== null) return null;
  const hint = 'write select * from <metric>';
  return { span: star.span, message: '* needs a FROM', hint };
};
