/** GROUP BY and FILL: rows in, groups with their keys and aggregates out. */

import { AppError } from '../../errors/app-error.js';
import { bucketStart, nextBucket } from '../bucket.js';
import { checkedFloat, checkedInteger, compareValues, type Value } from '../value.js';
import { hullOf } from '../plan/intervals.js';

import { asStep } from '../operators.js';

import { accumulatorOf } from './accumulator.js';
import { seriesRows, type Run } from './scan.js';

import type { Accumulator } from './differences.js';

import type { Row } from '../evaluate.js';
import type { Bucket, Expr, Fill, SelectPlan, Shape } from '../plan/plan.js';
import type { SeriesInfo } from '../source.js';

export type GroupedShape = Extract<Shape, { kind: 'grouped' }>;

export interface Group {
  readonly keys: readonly Value[];
  readonly aggregates: readonly Value[];
}

/** All groups, filled, in the default order. */
export async function groupsOf(
  run: Run,
  plan: SelectPlan,
  how: { readonly shape: GroupedShape; readonly all: readonly SeriesInfo[] },
): Promise<readonly Group[]> {
  const { operators } = run.counters;
  const rowsOf = ({ length }: readonly Group[]): number => length;
  const work = (): Promise<readonly Group[]> => openGroups(run, plan, how);
  const groups = await asStep(operators, 'group', { work, rowsOf });
  const { shape } = how;
  if (shape.fill === null) return inOrder(groups, shape);
  return filledGroups(run, plan, { shape, groups });
}

/** FILL as a step. */
export async function filledGroups(
  run: Run,
  plan: SelectPlan,
  input: FillInput,
): Promise<readonly Group[]> {
  const rowsOf = ({ length }: readonly Group[]): number => length;
  const work = (): Promise<readonly Group[]> => Promise.resolve(fillGroups(run, plan, input));
  return asStep(run.counters.operators, 'fill', { work, rowsOf });
}

async function openGroups(
  run: Run,
  plan: SelectPlan,
  how: { readonly shape: GroupedShape; readonly all: readonly SeriesInfo[] },
): Promise<readonly Group[]> {
  const { shape, all } = how;
  const open = new Map<string, OpenGroup>();
  if (shape.keys.length === 0) openGroup(open, run, { shape, keys: [] });
  for (const series of all) {
    for await (const rows of seriesRows(run, plan, series)) {
      for (const row of rows) addRow(open, run, { shape, row });
    }
  }
  return [...open.values()].map(({ keys, accumulators }) => ({
    keys,
    aggregates: accumulators.map((one, at) => resultOf(one, shape.aggregates[at]?.type)),
  }));
}

function inOrder(groups: readonly Group[], shape: GroupedShape): readonly Group[] {
  return groups.toSorted((left, right) => {
    for (const at of shape.defaultOrder) {
      const order = compareKeys(left.keys[at] ?? null, right.keys[at] ?? null);
      if (order !== 0) return order;
    }
    return 0;
  });
}

interface OpenGroup {
  readonly keys: readonly Value[];
  readonly accumulators: readonly Accumulator[];
}

function addRow(
  open: Map<string, OpenGroup>,
  run: Run,
  { shape, row }: { readonly shape: GroupedShape; readonly row: Row },
): void {
  const keys = shape.keys.map((key) => run.evaluator.evaluate(key, row));
  const group = open.get(keyText(keys)) ?? openGroup(open, run, { shape, keys });
  shape.aggregates.forEach(({ argument }, at) => {
    const value = argument === null ? true : run.evaluator.evaluate(argument, row);
    if (value !== null) group.accumulators[at]?.add(value, row);
  });
}

function openGroup(
  open: Map<string, OpenGroup>,
  run: Run,
  { shape, keys }: { readonly shape: GroupedShape; readonly keys: readonly Value[] },
): OpenGroup {
  const accumulators = shape.aggregates.map((one) => accumulatorOf(one, run.source.unit));
  const group = { keys, accumulators };
  open.set(keyText(keys), group);
  run.guard.requireRows(open.size);
  return group;
}

/** Equal keys have equal texts. */
function keyText(keys: readonly Value[]): string {
  return keys
    .map((key) => {
      if (typeof key === 'string') return JSON.stringify(key);
      return typeof key === 'number' ? `f${key === 0 ? 0 : key}` : String(key);
    })
    .join(',');
}

function resultOf(accumulator: Accumulator, type: string | undefined): Value {
  const value = accumulator.result();
  return type === 'float' && typeof value === 'bigint' ? Number(value) : value;
}

/** Nulls last, false before true. */
export function compareKeys(left: Value, right: Value): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return compareValues(left, right);
}

interface FillInput {
  readonly shape: GroupedShape;
  readonly groups: readonly Group[];
}

/** The groups with those that FILL adds, in the default order. */
function fillGroups(run: Run, plan: SelectPlan, { shape, groups }: FillInput): readonly Group[] {
  const { fill } = shape;
  const bucketExpr = fill === null ? undefined : shape.keys[fill.bucketKey];
  const range = hullOf(plan.intervals);
  if (fill === null || range === null || bucketExpr?.kind !== 'bucket') {
    return inOrder(groups, shape);
  }
  const { bucketKey } = fill;
  const lines = new Map<string, Group[]>();
  for (const group of groups) {
    const others = keyText(group.keys.filter((_, at) => at !== bucketKey));
    const line = lines.get(others);
    if (line === undefined) lines.set(others, [group]);
    else line.push(group);
  }
  const buckets = bucketsOf(run, bucketExpr, { range, lineCount: lines.size });
  const filled = [...lines.values()].flatMap((line) =>
    fillLine(line, { buckets, bucketKey, how: fill.how, aggregates: shape.aggregates }),
  );
  return inOrder(filled, shape);
}

function bucketsOf(
  run: Run,
  { bucket }: Extract<Expr, { kind: 'bucket' }>,
  how: { readonly range: { start: bigint; end: bigint }; readonly lineCount: number },
): readonly bigint[] {
  if (how.lineCount === 0) return [];
  const { unit } = run.source;
  const found: bigint[] = [];
  let at: bigint | null = firstBucket(bucket, how.range.start, unit);
  while (at !== null && at <= how.range.end) {
    found.push(at);
    run.guard.requireRows(found.length * how.lineCount);
    at = nextBucket(bucket, at, unit);
  }
  return found;
}

function firstBucket(bucket: Bucket, time: bigint, unit: Run['source']['unit']): bigint {
  const start = bucketStart(bucket, time, unit);
  if (start !== null) return start;
  throw new AppError('query_limit_exceeded', 'FILL reaches past the times that can be written');
}

interface LineHow {
  readonly buckets: readonly bigint[];
  readonly bucketKey: number;
  readonly how: Fill;
  readonly aggregates: GroupedShape['aggregates'];
}

function fillLine(line: readonly Group[], how: LineHow): readonly Group[] {
  const { buckets, bucketKey } = how;
  const known = new Map(line.map((group) => [group.keys[bucketKey], group]));
  const [any] = line;
  if (any === undefined) return [];
  const filled = how.aggregates.map((_, at) =>
    fillColumn(
      buckets.map((bucket) => known.get(bucket)?.aggregates[at]),
      buckets,
      { fill: how.how, type: how.aggregates[at]?.type ?? 'float' },
    ),
  );
  return buckets.map((bucket, at) => {
    const keys = any.keys.map((key, index) => (index === bucketKey ? bucket : key));
    return known.get(bucket) ?? { keys, aggregates: filled.map((column) => column[at] ?? null) };
  });
}

/** `values` holds undefined where a bucket has no sample. */
function fillColumn(
  values: readonly (Value | undefined)[],
  buckets: readonly bigint[],
  { fill, type }: { readonly fill: Fill; readonly type: string },
): readonly Value[] {
  if (fill.kind === 'null') return values.map((value) => value ?? null);
  if (fill.kind === 'constant') {
    const { value: given } = fill;
    const constant = type === 'float' && typeof given === 'bigint' ? Number(given) : given;
    return values.map((value) => (value === undefined ? constant : value));
  }
  const next = nextKnown(values);
  let before = -1;
  return values.map((value, at) => {
    if (value !== undefined) {
      if (value !== null) before = at;
      return value;
    }
    const last = values[before] ?? null;
    if (fill.kind === 'previous' || last === null) return fill.kind === 'previous' ? last : null;
    const after = next[at] ?? -1;
    const ends = { last, following: values[after] ?? null };
    return between(ends, [buckets[before], buckets[at], buckets[after]]);
  });
}

/** For each place the next one with a value, or undefined. */
function nextKnown(values: readonly (Value | undefined)[]): readonly (number | undefined)[] {
  const next: (number | undefined)[] = [];
  let known: number | undefined;
  for (let at = values.length - 1; at >= 0; at--) {
    next[at] = known;
    if ((values[at] ?? null) !== null) known = at;
  }
  return next;
}

function between(
  { last, following }: { readonly last: Value; readonly following: Value },
  [from, at, to]: readonly (bigint | undefined)[],
): Value {
  if (from === undefined || at === undefined || to === undefined) return null;
  if (typeof last === 'number' && typeof following === 'number') {
    const share = Number(at - from) / Number(to - from);
    return checkedFloat(last + (following - last) * share);
  }
  if (typeof last !== 'bigint' || typeof following !== 'bigint') return null;
  return checkedInteger(last + ((following - last) * (at - from)) / (to - from));
}
