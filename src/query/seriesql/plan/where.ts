/**
 * Splits WHERE and braces into the selection of series, the bounds of time, and the rest per row.
 */

import { conjunctsOf, partsOf, some } from './check/expr.js';
import { allTimes, intersectAll, timesOf } from './intervals.js';

import type { Matcher, SourceNode } from '../language/ast.js';
import type { Checker } from './check/checker.js';
import type {
  Expr,
  Interval,
  PlannedLabelTerm,
  PlannedSelection,
  SelectionTarget,
} from './plan.js';

export interface WhereParts {
  readonly terms: readonly PlannedLabelTerm[];
  readonly conditions: readonly Expr[];
  readonly intervals: readonly Interval[];
  /** The remaining conditions; each must be true. */
  readonly rest: readonly Expr[];
  /** True for `time > -1h`, which compares with a time of 1970. */
  readonly comparesTimeToDuration: boolean;
}

export const noWhere: WhereParts = {
  ...{ terms: [], conditions: [], intervals: allTimes, rest: [] },
  comparesTimeToDuration: false,
};

export function takeApart(where: Expr): WhereParts {
  const terms: PlannedLabelTerm[] = [];
  const conditions: Expr[] = [];
  const rest: Expr[] = [];
  const times: (readonly Interval[])[] = [];
  let comparesTimeToDuration = false;
  for (const item of conjunctsOf(where)) {
    comparesTimeToDuration ||= holdsTimeToDuration(item);
    if (readsOnlyIdentity(item)) {
      const term = termOf(item);
      if (term === null) conditions.push(item);
      else terms.push(term);
      continue;
    }
    const { intervals, isExact } = timesOf(item);
    times.push(intervals);
    if (!isExact) rest.push(item);
  }
  const intervals = intersectAll(times);
  return { terms, conditions, intervals, rest, comparesTimeToDuration };
}

function holdsTimeToDuration(expr: Expr): boolean {
  if (expr.kind === 'compare') return isTimeToDuration(expr);
  return (expr.kind === 'logical' || expr.kind === 'not') && some(expr, isTimeToDuration);
}

function isTimeToDuration(expr: Expr): boolean {
  if (expr.kind !== 'compare') return false;
  const { left, right } = expr;
  return isTime(left) ? right.type === 'duration' : left.type === 'duration' && isTime(right);
}

const isTime = (expr: Expr): boolean => expr.kind === 'column' && expr.column === 'time';

function isIdentity(expr: Expr): boolean {
  return expr.kind === 'label' || (expr.kind === 'column' && isSeriesColumn(expr.column));
}

function isSeriesColumn(column: string): boolean {
  return column === 'metric' || column === 'series_id';
}

/** True if it reads labels, `metric` or `series_id`, and nothing else of a row. */
function readsOnlyIdentity(expr: Expr): boolean {
  const readsMore = (part: Expr): boolean =>
    partsOf(part).length === 0 && part.kind !== 'literal' && !isIdentity(part);
  return some(expr, isIdentity) && !some(expr, readsMore);
}

/** True if it reads `time` or `value`. */
export function readsSamples(expr: Expr): boolean {
  return some(expr, isOfSample);
}

/** True if the expression itself, apart from its parts, reads a sample. */
export function isOfSample(expr: Expr): boolean {
  return expr.kind === 'window' || (expr.kind === 'column' && !isSeriesColumn(expr.column));
}

export function readsIdentity(expr: Expr): boolean {
  return some(expr, isIdentity);
}

/** The condition as a term, which an index can answer; null if it is not a term. */
function termOf(expr: Expr): PlannedLabelTerm | null {
  if (expr.kind === 'match') {
    const on = subjectOf(expr.operand);
    const op = expr.negated ? 'notMatch' : 'match';
    return on === null ? null : { on, op, values: [expr.pattern] };
  }
  if (expr.kind === 'compare' && (expr.op === '=' || expr.op === '!=')) {
    const [subject, other] =
      expr.left.kind === 'literal' ? [expr.right, expr.left] : [expr.left, expr.right];
    return listTerm(subject, [other], expr.op === '!=');
  }
  return expr.kind === 'in' ? listTerm(expr.operand, expr.items, expr.negated) : null;
}

function listTerm(
  subject: Expr,
  items: readonly Expr[],
  negated: boolean,
): PlannedLabelTerm | null {
  const on = subjectOf(subject);
  if (on === null) return null;
  const values: string[] = [];
  for (const item of items) {
    if (item.kind !== 'literal' || typeof item.value !== 'string') return null;
    values.push(item.value);
  }
  return { on, op: negated ? 'notIn' : 'in', values };
}

function subjectOf(expr: Expr): PlannedLabelTerm['on'] | null {
  if (expr.kind === 'label') return { kind: 'label', key: expr.key };
  return expr.kind === 'column' && expr.column === 'metric' ? { kind: 'metric' } : null;
}

/** The selection of a source, narrowed by the label conditions of WHERE. */
export function selectionOf(
  checker: Checker,
  source: SourceNode | null,
  where: WhereParts,
): PlannedSelection {
  if (source === null) {
    return { target: { kind: 'all' }, terms: where.terms, conditions: where.conditions };
  }
  const matchers = source.kind === 'name' ? source.matchers : [];
  const terms = matchers.filter((one) => !asksForNone(one)).map((one) => matcherTerm(checker, one));
  const conditions = matchers.filter(asksForNone).map(isMissing);
  return {
    target: targetOf(source),
    terms: [...terms, ...where.terms],
    conditions: [...conditions, ...where.conditions],
  };
}

/**
 * An empty label value means no label: `{a=''}` selects series without it, `{a!=''}` those with it.
 */
function asksForNone({ isMetric, op, value }: Matcher): boolean {
  return !isMetric && value === '' && (op === '=' || op === '!=');
}

function isMissing({ key, op }: Matcher): Expr {
  const label: Expr = { kind: 'label', key, type: 'string', nullable: true };
  return { kind: 'isNull', operand: label, negated: op === '!=', type: 'boolean', nullable: false };
}

function targetOf(source: SourceNode): SelectionTarget {
  if (source.kind === 'by_id') return { kind: 'by_id', ids: [...new Set(source.ids)] };
  const { name, isFamily } = source;
  return isFamily ? { kind: 'family', prefix: `${name}.` } : { kind: 'metric', name };
}

const matcherOps = { '=': 'in', '!=': 'notIn', '=~': 'match', '!~': 'notMatch' } as const;

function matcherTerm(checker: Checker, matcher: Matcher): PlannedLabelTerm {
  const { key, isMetric, value, valueStart: start } = matcher;
  const op = matcherOps[matcher.op];
  if (op === 'match' || op === 'notMatch') {
    checker.pattern({ kind: 'string', value, span: { start, end: start } });
  }
  const on: PlannedLabelTerm['on'] = isMetric ? { kind: 'metric' } : { kind: 'label', key };
  return { on, op, values: [value] };
}
