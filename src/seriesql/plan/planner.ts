/** A parsed statement to its logical plan: checked, folded, and free of names. */

import { compareText } from '../language/value.js';

import { Checker } from './check/checker.js';
import { constantPlace, type CheckContext } from './check/place.js';
import { hullOf } from './intervals.js';
import { planSelect } from './select-planner.js';
import { noWhere, selectionOf, takeApart, type WhereParts } from './where.js';

import type { DeleteNode, Expression, InsertNode, ShowNode, Statement } from '../language/ast.js';
import type { DeletePlan, InsertPlan, Plan, ShowPlan } from './plan.js';

/** Throws `validation_failed` with all that is wrong, or an `unsupported_…`. */
export function planStatement(statement: Statement, context: CheckContext): Plan {
  const checker = new Checker(context);
  try {
    const plan =
      statement.kind === 'explain'
        ? planExplain(checker, statement)
        : planPlain(checker, statement);
    checker.settle();
    return plan;
  } catch (error) {
    throw checker.allWith(error);
  }
}

type PlainStatement = Exclude<Statement, { kind: 'explain' }>;

function planPlain(
  checker: Checker,
  statement: PlainStatement,
): Exclude<Plan, { kind: 'explain' }> {
  switch (statement.kind) {
    case 'select':
      return planSelect(checker, statement);
    case 'insert':
      return planInsert(checker, statement);
    case 'delete':
      return planDelete(checker, statement);
    case 'show':
      return planShow(checker, statement);
  }
}

function planExplain(checker: Checker, node: Extract<Statement, { kind: 'explain' }>): Plan {
  const { mode, statement } = node;
  if (statement.kind === 'explain') {
    throw checker.fail(statement.span.start, 'EXPLAIN explains a statement, not another EXPLAIN');
  }
  if (mode === 'analyze' && statement.kind !== 'select') {
    const hint = 'EXPLAIN without ANALYZE shows the plan and runs nothing';
    throw checker.fail(statement.span.start, 'EXPLAIN ANALYZE runs only a SELECT', hint);
  }
  return { kind: 'explain', mode, statement: planPlain(checker, statement) };
}

function planInsert(checker: Checker, node: InsertNode): InsertPlan {
  const labels = new Map<string, string>();
  for (const { key, value, span } of node.labels) {
    const refuse = (): never => {
      throw checker.fail(span.start, `the label ${key} comes twice`);
    };
    if (labels.has(key)) checker.attempt(span, refuse, undefined);
    labels.set(key, value);
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
  throw checker.fail(start, 'the time of a sample is a whole number or a timestamp');
}

function insertedValue(checker: Checker, node: Expression): number {
  const expr = checker.check(node, constantPlace);
  const value = expr.kind === 'literal' ? expr.value : null;
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value);
  throw checker.fail(node.span.start, 'the value of a sample is a number');
}

const rowPlace = {
  ...constantPlace,
  hasColumns: true,
  refusal: 'cannot stand in WHERE; conditions on it go into HAVING',
};

function planWhere(checker: Checker, where: Expression | null): WhereParts {
  if (where === null) return noWhere;
  const condition = checker.condition(where, rowPlace, 'WHERE');
  checker.settle();
  return takeApart(condition);
}

function planDelete(checker: Checker, node: DeleteNode): DeletePlan {
  const where = planWhere(checker, node.where);
  const [extra] = where.rest;
  if (extra !== undefined) {
    const message = 'DELETE takes conditions on time and labels only';
    throw checker.fail(checker.originOf(extra) || node.where.span.start, message);
  }
  if (where.intervals.length > 0 && hullOf(where.intervals) === null) {
    const hint = 'write where time between A and B';
    throw checker.fail(node.where.span.start, 'DELETE needs time bounded on both sides', hint);
  }
  const ranges = where.intervals.flatMap(({ start, end }) =>
    start === null || end === null ? [] : [{ start, end }],
  );
  return { kind: 'delete', selection: selectionOf(checker, node.from, where), ranges };
}

function planShow(checker: Checker, node: ShowNode): ShowPlan {
  const where = planWhere(checker, node.where);
  const [extra] = where.rest;
  if (extra !== undefined) {
    const message = 'SHOW takes conditions on time and labels only';
    throw checker.fail(checker.originOf(extra) || node.span.start, message);
  }
  const { what, key, limit } = node;
  const selection = selectionOf(checker, node.from, where);
  return { kind: 'show', what, key, selection, intervals: where.intervals, limit };
}
