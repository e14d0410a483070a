import type { SelectRule } from './rule.js';

export const starBesideGroups: SelectRule = ({ node, isGrouped }) => {
  const star = node.items.find(({ kind }) => kind === 'star');
  if (star === undefined || !isGrouped) return null;
  const hint = 'name what you group by';
  return { span: star.span, message: '* cannot stand beside groups', hint };
};
