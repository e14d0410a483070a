/** Turns a parsed statement into its logical plan: checked, folded and free of names. */

import { kFirstTime, kLastTime } from '../../../common/model/timestamp-unit.js';
import { compareText } from '../../values/value.js';

import { Checker } from './check/checker.js';
import { constantPlace, type CheckContext } from './check/place.js';
import { analyzeTakesASelect } from './rules/analyze-takes-a-select.js';
import { deleteNeedsBounds } from './rules/delete-needs-bounds.js';
import { explainTakesAStatement } from './rules/explain-takes-a-statement.js';
import { labelsComeOnce } from './rules/labels-come-once.js';
import { onlyTimeAndLabels } from './rules/only-time-and-labels.js';
import { planAsKnown, planSelect, type LikeStatements } from './select-planner.js';
import { noWhere, selectionOf, takeApart, type WhereParts } from './where.js';

import type {
  DeleteNode,
  ExplainNode,
  Expression,
  InsertNode,
  SelectNode,
  ShowNode,
  Statement,
} from '../language/ast.js';
import type { Span } from '../language/query-text.js';
import type { DeletePlan, InsertPlan, StatementPlan, SelectPlan, ShowPlan } from './plan.js';
import type { SelectShape } from './select-shape.js';

/** Throws `validation_failed` with all errors found, or an `unsupported_…`. */
export function planStatement(
  statement: Statement,
  context: CheckContext,
  like?: LikeStatements,
): StatementPlan {
  const checker = new Checker(context);
  try {
    const plan =
      statement.kind === 'explain'
        ? planExplain(checker, statement)
        : planPlain(checker, statement, like);
    checker.settle();
    return plan;
  } catch (error) {
    throw checker.allWith(error);
  }
}

/**
 * The plan of a SELECT that differs only in FROM and WHERE from the source of `known`. Null if the
 * shape does not fit or there is an error, which the full planning then reports.
 */
export function planLike(
  statement: SelectNode,
  context: CheckContext,
  known: SelectShape,
): SelectPlan | null {
  const checker = new Checker(context);
  try {
    const plan = planAsKnown(checker, statement, known);
    checker.settle();
    return plan;
  } catch {
    return null;
  }
}

type PlainStatement = Exclude<Statement, { kind: 'explain' }>;

function planPlain(
  checker: Checker,
  statement: PlainStatement,
  like?: LikeStatements,
): Exclude<StatementPlan, { kind: 'explain' }> {
  switch (statement.kind) {
    case 'select':
      return planSelect(checker, statement, like);
    case 'insert':
      return planInsert(checker, statement);
    case 'delete':
      return planDelete(checker, statement);
    case 'show':
      return planShow(checker, statement);
  }
}

function planExplain(checker: Checker, node: ExplainNode): StatementPlan {
  const { mode, statement } = node;
  checker.require(explainTakesAStatement(node));
  checker.require(analyzeTakesASelect(node));
  checker.settle();
  // The rules above have refused it.
  if (statement.kind === 'explain') return planExplain(checker, statement);
  return { kind: 'explain', mode, statement: planPlain(checker, statement) };
}

function planInsert(checker: Checker, node: InsertNode): InsertPlan {
  const labels = new Map<string, string>();
  for (const label of node.labels) {
    checker.require(labelsComeOnce({ label, before: labels }));
    labels.set(label.key, label.value);
  }
  const samples = node.rows.map(({ time, value }) => ({
    time: checker.attempt(time.span, () => insertedTime(checker, time), 0n),
    value: checker.attempt(value.span, () => insertedValue(checker, value), 0),
  }));
  const sorted = [...labels].sort(([left], [right]) => compareText(left, right));
  return { kind: 'insert', name: node.name, labels: sorted, samples };
}

function insertedTime(checker: Checker, node: Expression): bigint {
  const { start } = node.span;
  const expr =
    node.kind === 'string'
      ? checker.timeOfText(node.value, start)
      : checker.check(node, constantPlace);
  const value = expr.kind === 'literal' ? expr.value : null;
  if (typeof value === 'bigint') return value;
  const isWhole = typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63;
  if (isWhole) return BigInt(value);
  throw checker.fail(start, 'the time of a sample must be a whole number or a timestamp');
}

function insertedValue(checker: Checker, node: Expression): number {
  const expr = checker.check(node, constantPlace);
  const value = expr.kind === 'literal' ? expr.value : null;
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value);
  throw checker.fail(node.span.start, 'the value of a sample must be a number');
}

const rowPlace = {
  ...constantPlace,
  hasColumns: true,
  refusal: 'cannot be used in WHERE; put conditions on it into HAVING',
};

function planWhere(checker: Checker, where: Expression | null): WhereParts {
  if (where === null) return noWhere;
  const condition = checker.condition(where, rowPlace, 'WHERE');
  checker.settle();
  return takeApart(condition);
}

function planDelete(checker: Checker, node: DeleteNode): DeletePlan {
  const where = planWhere(checker, node.where);
  if (node.where === null) {
    const selection = selectionOf(checker, node.from, where);
    return { kind: 'delete', selection, ranges: [{ start: kFirstTime, end: kLastTime }] };
  }
  const { intervals } = where;
  const checked = { span: node.where.span, extra: extraOf(checker, where, node.where), intervals };
  checker.require(onlyTimeAndLabels('DELETE')(checked));
  const written = ({ start, end }: Span): string => checker.context.source.text.slice(start, end);
  const [from, condition] = [written(node.from.span), written(node.where.span)];
  checker.require(deleteNeedsBounds({ ...checked, from, where: condition }));
  const ranges = intervals.flatMap(({ start, end }) =>
    start === null || end === null ? [] : [{ start, end }],
  );
  return { kind: 'delete', selection: selectionOf(checker, node.from, where), ranges };
}

function planShow(checker: Checker, node: ShowNode): ShowPlan {
  const where = planWhere(checker, node.where);
  const { intervals } = where;
  const checked = { span: node.span, extra: extraOf(checker, where, node), intervals };
  checker.require(onlyTimeAndLabels('SHOW')(checked));
  const { what, key, limit } = node;
  const selection = selectionOf(checker, node.from, where);
  return { kind: 'show', what, key, selection, intervals, limit };
}

/** The offset of the first condition that neither selects series nor bounds time; null if none. */
function extraOf(
  checker: Checker,
  { rest }: WhereParts,
  whole: { readonly span: Span },
): number | null {
  const [extra] = rest;
  return extra === undefined ? null : checker.originOf(extra) || whole.span.start;
}
