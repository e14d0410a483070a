/** The entry point of the language: parses and checks a PromQL text. */

import { checkParsed } from './check/check.js';
import { patternProblem } from './check/patterns.js';
import { promqlList } from './functions/promql-list.js';
import type { Expression } from './syntax/ast.js';
import { parseText } from './syntax/parser.js';
import { signaturesOf } from './syntax/signature.js';

const functions = signaturesOf(promqlList);

/** Throws `parse_failed` with Prometheus' wording and position. */
export function parsePromql(text: string): Expression {
  const parsed = parseText(text, { functions, patternProblem });
  checkParsed(parsed);
  return parsed.expression;
}
