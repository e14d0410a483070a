import type { SelectRule } from './rule.js';

export const fillFitsTypes: SelectRule = ({ node, fill, aggregates }) => {
  if (node.fill === null || fill === null) return null;
  const { span } = node.fill;
  const value = fill.kind === 'constant' ? fill.value : null;
  for (const { type, name } of aggregates) {
    const isNumber = type !== 'string' && type !== 'boolean';
    if (fill.kind === 'linear' && !isNumber) {
      return { span, message: `FILL(LINEAR) needs numbers, but ${name} is text` };
    }
    const fits = typeof value === 'string' ? type === 'string' : isNumber;
    if (fill.kind === 'constant' && !fits) {
      return { span, message: `the FILL constant does not fit ${name}` };
    }
  }
  return null;
};
