/** Plans and expressions as text, for EXPLAIN. */

import { aggregateFunctions } from '../functions/aggregate-functions.js';
import { printValue } from '../plan/evaluate.js';
import { rowOf } from '../plan/operator-row.js';

import type { AggregateFunction } from '../functions/aggregate-function.js';
import type {
  PlannedAggregate,
  TimeBucket,
  Expr,
  Interval,
  PlannedLabelTerm,
  StatementPlan,
  PlannedSelection,
  SelectPlan,
  Window,
} from '../plan/plan.js';
import type { OperatorName } from '../execute/operators.js';

type PlainPlan = Exclude<StatementPlan, { kind: 'explain' }>;

/** The plan from the last step to the first. Deeper steps are indented. */
export function planLines(plan: PlainPlan): readonly string[] {
  switch (plan.kind) {
    case 'select':
      return selectLines(plan).map(({ text }) => text);
    case 'insert':
      return [`insert ${plan.samples.length} into ${plan.name}`];
    case 'delete': {
      const times = `times ${printIntervals(plan.ranges)}`;
      return indented(['delete', times, selectionText(plan.selection)]);
    }
    case 'show': {
      const what = plan.key === null ? plan.what : `values of ${plan.key}`;
      const limit = plan.limit === null ? [] : [`limit ${plan.limit}`];
      return indented([...limit, `show ${what}`, selectionText(plan.selection)]);
    }
  }
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line, depth) => '  '.repeat(depth) + line);
}

/**
 * A line of a plan. `operator`: the name under which its work is counted; null if it is not
 * counted.
 */
interface PlanLine {
  readonly operator: OperatorName | null;
  readonly text: string;
}

/** The plan of a SELECT, as `planLines` prints it. */
export function selectLines(plan: SelectPlan): readonly PlanLine[] {
  const steps = selectSteps(plan);
  const texts = indented(steps.map(([, text]) => text));
  return steps.map(([operator], at) => ({ operator, text: texts[at] ?? '' }));
}

/** The steps in the order in which rows leave them. The last step comes first. */
function selectSteps(plan: SelectPlan): readonly (readonly [OperatorName | null, string])[] {
  const { shape } = plan;
  const steps: [OperatorName | null, string][] = [];
  const add = (operator: OperatorName, text: string): unknown => steps.push([operator, text]);
  if (plan.limit !== null) {
    add('limit', `limit ${plan.limit}${plan.offset === 0n ? '' : ` offset ${plan.offset}`}`);
  }
  if (plan.orderBy.length > 0) {
    const keys = plan.orderBy.map(
      ({ expr, descending }) => printExpr(plan, expr) + (descending ? ' desc' : ''),
    );
    add('order', `sort by ${keys.join(', ')}`);
  }
  const items = plan.items.map((item) =>
    item.kind === 'star' ? '*' : `${printExpr(plan, item.expr)} as ${item.name}`,
  );
  add('project', `project ${items.join(', ')}`);
  if (plan.having !== null) add('having', `having ${printExpr(plan, plan.having)}`);
  if (shape.kind === 'grouped') {
    if (shape.fill !== null) add('fill', `fill ${fillText(plan)}`);
    const keys = shape.keys.map((key) => printExpr(plan, key)).join(', ');
    const aggregates = shape.aggregates.map(printAggregate).join(', ');
    const by = keys === '' ? '' : ` by ${keys}`;
    add('group', `group${by}: ${aggregates === '' ? '-' : aggregates}`);
  }
  if (shape.kind === 'raw' && shape.windows.length > 0) {
    add('windows', `windows ${shape.windows.map((one) => printWindow(plan, one)).join(', ')}`);
  }
  if (plan.filter !== null) add('filter', `filter ${printExpr(plan, plan.filter)}`);
  if (plan.selection === null) return [...steps, [null, 'one row']];
  const read = shape.kind === 'series' ? 'series' : 'samples';
  add('scan', `${read} at ${printIntervals(plan.intervals)}`);
  add('select series', selectionText(plan.selection));
  return steps;
}

function fillText(plan: SelectPlan): string {
  const fill = plan.shape.kind === 'grouped' ? plan.shape.fill : null;
  if (fill === null) return 'none';
  return fill.how.kind === 'constant' ? printLiteral(fill.how.value) : fill.how.kind;
}

export function printIntervals(intervals: readonly Interval[]): string {
  if (intervals.length === 0) return 'no time';
  const all = intervals.map(({ start, end }) => `[${start ?? '-inf'}, ${end ?? '+inf'}]`);
  const shown = all.slice(0, 8).join(' ');
  return all.length > 8 ? `${shown} and ${all.length - 8} more` : shown;
}

export function selectionText({ target, terms, conditions }: PlannedSelection): string {
  const parts = [...terms.map(printTerm), ...conditions.map((condition) => printPlain(condition))];
  const where = parts.length === 0 ? '' : ` where ${parts.join(' and ')}`;
  switch (target.kind) {
    case 'all':
      return `select all series${where}`;
    case 'by_id':
      return `select series ${target.ids.join(', ')}${where}`;
    case 'metric':
      return `select series of ${target.name}${where}`;
    case 'family':
      return `select series of ${target.prefix}*${where}`;
  }
}

const termOperators = { in: 'in', notIn: 'not in', match: '=~', notMatch: '!~' } as const;

function printTerm({ on, op, values }: PlannedLabelTerm): string {
  const subject = on.kind === 'metric' ? 'metric' : `tag.${on.key}`;
  const texts = values.map(quoted);
  const [only = ''] = texts;
  if (op === 'match' || op === 'notMatch') return `${subject} ${termOperators[op]} ${only}`;
  if (texts.length === 1) return `${subject} ${op === 'in' ? '=' : '!='} ${only}`;
  return `${subject} ${termOperators[op]} (${texts.join(', ')})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function printLiteral(value: Extract<Expr, { kind: 'literal' }>['value']): string {
  if (value === null) return 'null';
  return typeof value === 'string' ? quoted(value) : printValue(value);
}

export function printAggregate(aggregate: PlannedAggregate): string {
  const { name, argument, isDistinct, quantile } = aggregate;
  const inner = argument === null ? '*' : printPlain(argument);
  const called: AggregateFunction = aggregateFunctions[name];
  const more = called.second === 'quantile' ? `, ${quantile}` : '';
  return `${name}(${isDistinct ? 'distinct ' : ''}${inner}${more})`;
}

function printWindow(plan: SelectPlan | null, { name, argument, rows, duration }: Window): string {
  const extent = duration ?? (rows === 0 ? null : rows);
  return `${name}(${printExpr(plan, argument)}${extent === null ? '' : `, ${extent}`})`;
}

/** Prints an expression over rows, without groups and windows. */
function printPlain(expr: Expr): string {
  return printExpr(null, expr);
}

export function printBucket(bucket: TimeBucket): string {
  if (bucket.kind === 'fixed') {
    return bucket.origin === 0n ? `${bucket.width}` : `${bucket.width} from ${bucket.origin}`;
  }
  const unit = bucket.kind === 'months' ? 'mo' : 'd';
  return `${bucket.count}${unit}${bucket.zone === null ? '' : ` in ${bucket.zone}`}`;
}

/** Writes out keys, aggregates and windows from the plan; without a plan, by their index. */
function printExpr(plan: SelectPlan | null, expr: Expr): string {
  const print = (part: Expr): string => printExpr(plan, part);
  const list = (parts: readonly Expr[]): string => parts.map(print).join(', ');
  switch (expr.kind) {
    case 'literal':
      return printLiteral(expr.value);
    case 'column':
      return expr.column;
    case 'label':
      return `tag.${expr.key}`;
    case 'labels':
      return 'labels';
    case 'key':
    case 'aggregate':
    case 'window':
      return printPlace(plan, expr);
    case 'negate':
      return `-${print(expr.operand)}`;
    case 'arithmetic': {
      const row = rowOf(expr);
      const texts = row.map(({ op, right }) => ` ${op} ${print(right)})`);
      return `${'('.repeat(row.length)}${print(row[0]?.left ?? expr.left)}${texts.join('')}`;
    }
    case 'compare':
      return `(${print(expr.left)} ${expr.op} ${print(expr.right)})`;
    case 'logical':
      return `(${expr.items.map(print).join(` ${expr.op} `)})`;
    case 'not':
      return `(not ${print(expr.operand)})`;
    case 'isNull':
      return `(${print(expr.operand)} is ${expr.negated ? 'not ' : ''}null)`;
    case 'in':
      return `(${print(expr.operand)} ${expr.negated ? 'not ' : ''}in (${list(expr.items)}))`;
    case 'like':
      return `(${print(expr.operand)} ${expr.negated ? 'not ' : ''}like ${print(expr.pattern)})`;
    case 'match':
      return `(${print(expr.operand)} ${expr.negated ? '!~' : '=~'} ${quoted(expr.pattern)})`;
    case 'call':
      return `${expr.name}(${list(expr.args)})`;
    case 'bucket':
      return `time_bucket(${printBucket(expr.bucket)}, ${print(expr.operand)})`;
    case 'cast':
      return `cast(${print(expr.operand)} as ${expr.target})`;
    case 'case': {
      const branches = expr.branches.map(
        ({ when, then }) => `when ${print(when)} then ${print(then)}`,
      );
      return `case ${branches.join(' ')} else ${print(expr.otherwise)} end`;
    }
  }
}

function printPlace(
  plan: SelectPlan | null,
  expr: Extract<Expr, { kind: 'key' | 'aggregate' | 'window' }>,
): string {
  const { kind, index } = expr;
  const shape = plan?.shape;
  if (plan !== null && shape?.kind === 'grouped') {
    const key = kind === 'key' ? shape.keys[index] : undefined;
    if (key !== undefined) return printExpr(plan, key);
    const aggregate = kind === 'aggregate' ? shape.aggregates[index] : undefined;
    if (aggregate !== undefined) return printAggregate(aggregate);
  }
  const window = shape?.kind === 'raw' && kind === 'window' ? shape.windows[index] : undefined;
  return window === undefined ? `${kind} ${index}` : printWindow(plan, window);
}
