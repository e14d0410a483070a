import type { ExplainNode } from '../../language/ast.js';
import type { Rule } from './rule.js';

export const explainTakesAStatement: Rule<ExplainNode> = ({ statement }) => {
  if (statement.kind !== 'explain') return null;
  const message = 'EXPLAIN explains a statement, not another EXPLAIN';
  return { span: statement.span, message };
};
