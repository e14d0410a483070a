import type { ExplainNode } from '../../language/ast.js';
import type { Rule } from './rule.js';

/** ANALYZE runs the statement, so only a SELECT is allowed. */
export const analyzeTakesASelect: Rule<ExplainNode> = ({ mode, statement }) => {
  if (mode !== 'analyze' || statement.kind === 'select') return null;
  const hint = 'EXPLAIN without ANALYZE shows the plan and runs nothing';
  return { span: statement.span, message: 'EXPLAIN ANALYZE runs only a SELECT', hint };
};
