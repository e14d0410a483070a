import type { SelectRule } from './rule.js';

export const starBesideGroups: SelectRule = ({ node, isGrouped }) => {
  const star = node.items.find(({ kind }) => kind === 'star');
  if (star === undefined || !isGrouped) return null;
  const hint = 'name the grouped columns';
  return { span: star.span, message: '* cannot be combined with GROUP BY', hint };
};
