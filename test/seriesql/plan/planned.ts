/** Plans of texts, without an engine. */

import { databaseTime } from '../../../src/common/model/timestamp-unit.js';
import { AppError } from '../../../src/common/errors/app-error.js';
import { parseStatement } from '../../../src/query/seriesql/language/parser.js';
import { QueryText } from '../../../src/query/seriesql/language/query-text.js';
import { Evaluator } from '../../../src/query/seriesql/plan/evaluate.js';
import { planStatement } from '../../../src/query/seriesql/plan/planner.js';

import type { StatementPlan, SelectPlan } from '../../../src/query/seriesql/plan/plan.js';

export function planned(text: string): StatementPlan {
  const source = new QueryText(text);
  const evaluator = new Evaluator('ms');
  const context = { source, evaluator, unit: 'ms', now: databaseTime(1000n), nowCount: 0 } as const;
  return planStatement(parseStatement(source), context);
}

/** REQUIRES: the text is a SELECT. */
export function plannedSelect(text: string): SelectPlan {
  const plan = planned(text);
  if (plan.kind !== 'select') throw new Error(`no select: ${text}`);
  return plan;
}

/** The first line of each error, without `line 1, `. */
export function problemsOf(text: string): readonly string[] {
  try {
    planned(text);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const lines = error.message.split('\n').filter((line) => line.startsWith('line '));
    return lines.map((line) => line.replace(/^line 1, /, ''));
  }
}
