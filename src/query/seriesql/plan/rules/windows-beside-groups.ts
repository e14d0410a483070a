import type { SelectRule } from './rule.js';

export const windowsBesideGroups: SelectRule = ({ node, isGrouped, windows }) => {
  if (!isGrouped || windows.length === 0) return null;
  const { start } = node.span;
  const hint = 'windows work on samples, before any grouping';
  const message = 'windows and groups cannot be mixed';
  return { span: { start, end: start }, message, hint };
};
