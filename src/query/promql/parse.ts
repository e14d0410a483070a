/** The entry point of the language: parses and checks a PromQL text. */

import { checkParsed } from './check/check.js';
import { patternProblem } from './check/patterns.js';
import { functionTable } from './functions/function-table.js';
import type { PromqlExpression } from './syntax/ast.js';
import { parseText } from './syntax/parser.js';

/** Throws `parse_failed` with Prometheus' wording and position. */
export function parsePromql(text: string): PromqlExpression {
  const parsed = parseText(text, { functions: functionTable, patternProblem });
  checkParsed(parsed);
  return parsed.expression;
}
