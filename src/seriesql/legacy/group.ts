/** GROUP BY and FILL: rows in, groups with their keys and aggregates out. */

import { AppError } from '../../errors/app-error.js';
import { bucketStart, nextBucket } from '../bucket.js';
import { computationOf } from '../functions/computation.js';
import { checkedFloat, checkedInteger, compareValues, type Value } from '../value.js';
import { hullOf } from '../plan/intervals.js';

import { asStep } from '../operators.js';

import { accumulatorOf } from './accumulator-of.js';
import { seriesRows, type Run } from './scan.js';
import { inTurns, sortInTurns } from './turns.js';

import type { Row } from '../evaluate.js';
import type { Accumulator } from '../functions/aggregate-function.js';
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
  if (shape.fill === null) return inOrder(run, groups, shape);
  return filledGroups(run, plan, { shape, groups });
}

/** FILL as a step. */
export async function filledGroups(
  run: Run,
  plan: SelectPlan,
  input: FillInput,
): Promise<readonly Group[]> {
  const rowsOf = ({ length }: readonly Group[]): number => length;
  const work = (): Promise<readonly Group[]> => fillGroups(run, plan, input);
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
  const holding = shape.aggregates.filter((one) => computationOf(one).holdsValues === true).length;
  for (const series of all) {
    for await (const rows of seriesRows(run, plan, series)) {
      run.guard.countHeld(rows.length * holding);
      for (const row of rows) addRow(open, run, { shape, row });
    }
  }
  const groups: Group[] = [];
  await inTurns(run.guard, [...open.values()], ({ keys, accumulators }) => {
    const aggregates = accumulators.map((one, at) => resultOf(one, shape.aggregates[at]?.type));
    groups.push({ keys, aggregates });
  });
  return groups;
}

function inOrder(
  run: Run,
  groups: readonly Group[],
  shape: GroupedShape,
): Promise<readonly Group[]> {
  return sortInTurns(run.guard, [...groups], (left, right) => {
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
  const keys = shape.keys.map((key) => {
    const value = run.evaluator.evaluate(key, row);
    // Whichever zero comes first stands for both.
    return value === 0 ? 0 : value;
  });
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
  const accumulators = shape.aggregates.map((one) => accumulatorOf(one, run.unitsPerSecond));
  const group = { keys, accumulators };
  open.set(keyText(keys), group);
  run.guard.requireRows(open.size);
  run.guard.countHeld(keys.length + accumulators.length);
  return group;
}

/** Equal keys have equal texts. */
function keyText(keys: readonly Value[]): string {
  return keys
    .map((key) => {
      if (typeof key === 'string') return JSON.stringify(key);
      return typeof key === 'number' ? `f${key}` : String(key);
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
async function fillGroups(
  run: Run,
  plan: SelectPlan,
  { shape, groups }: FillInput,
): Promise<readonly Group[]> {
  const { fill } = shape;
  const bucketExpr = fill === null ? undefined : shape.keys[fill.bucketKey];
  const range = hullOf(plan.intervals);
  if (fill === null || range === null || bucketExpr?.kind !== 'bucket') {
    return inOrder(run, groups, shape);
  }
  const { bucketKey } = fill;
  const lines = new Map<string, Group[]>();
  await inTurns(run.guard, groups, (group) => {
    const others = keyText(group.keys.filter((_, at) => at !== bucketKey));
    const line = lines.get(others);
    if (line === undefined) lines.set(others, [group]);
    else line.push(group);
  });
  const buckets = await bucketsOf(run, bucketExpr, { range, lineCount: lines.size });
  run.guard.countHeld(buckets.length * lines.size * (shape.keys.length + shape.aggregates.length));
  const filled: Group[] = [];
  for (const line of lines.values()) {
    const how = { buckets, bucketKey, how: fill.how, aggregates: shape.aggregates };
    await fillLine(run, line, { filled, ...how });
  }
  return inOrder(run, filled, shape);
}

async function bucketsOf(
  run: Run,
  { bucket }: Extract<Expr, { kind: 'bucket' }>,
  how: { readonly range: { start: bigint; end: bigint }; readonly lineCount: number },
): Promise<readonly bigint[]> {
  if (how.lineCount === 0) return [];
  const { unit } = run.source;
  const found: bigint[] = [];
  let at: bigint | null = firstBucket(bucket, how.range.start, unit);
  while (at !== null && at <= how.range.end) {
    found.push(at);
    run.guard.requireRows(found.length * how.lineCount);
    if (found.length % kBucketsPerLook === 0) await run.guard.breathe();
    at = nextBucket(bucket, at, unit);
  }
  return found;
}

const kBucketsPerLook = 128;

function firstBucket(bucket: Bucket, time: bigint, unit: Run['source']['unit']): bigint {
  const start = bucketStart(bucket, time, unit);
  if (start !== null) return start;
  throw new AppError('query_limit_exceeded', 'FILL reaches past the times that can be written');
}

interface LineHow {
  readonly filled: Group[];
  readonly buckets: readonly bigint[];
  readonly bucketKey: number;
  readonly how: Fill;
  readonly aggregates: GroupedShape['aggregates'];
}

async function fillLine(run: Run, line: readonly Group[], how: LineHow): Promise<void> {
  const { buckets, bucketKey } = how;
  const [any] = line;
  if (any === undefined) return;
  const known = new Map(line.map((group) => [group.keys[bucketKey], group]));
  const columns = how.aggregates.map(({ type }, column) => {
    const valueAt = (at: number): Value | undefined => known.get(buckets[at])?.aggregates[column];
    return new FilledColumn({ fill: how.how, buckets, type, valueAt });
  });
  await inTurns(run.guard, buckets, (bucket, at) => {
    const values = columns.map((column) => column.next(at));
    const keys = any.keys.map((key, index) => (index === bucketKey ? bucket : key));
    how.filled.push(known.get(bucket) ?? { keys, aggregates: values });
  });
}

interface ColumnFill {
  readonly fill: Fill;
  readonly type: string;
  readonly buckets: readonly bigint[];
  /** Undefined where a bucket has no sample. */
  readonly valueAt: (at: number) => Value | undefined;
}

/** The values of an aggregate in every bucket, from the first on. */
class FilledColumn {
  readonly #of: ColumnFill;
  /** The last bucket so far that has a value, and the first after it. */
  #before = -1;
  #after = -1;

  constructor(of: ColumnFill) {
    this.#of = of;
  }

  next(at: number): Value {
    const { fill, type, valueAt } = this.#of;
    const value = valueAt(at);
    if (value !== undefined) {
      if (value !== null) this.#before = at;
      return value;
    }
    switch (fill.kind) {
      case 'null':
        return null;
      case 'constant':
        return type === 'float' && typeof fill.value === 'bigint' ? Number(fill.value) : fill.value;
      case 'previous':
        return valueAt(this.#before) ?? null;
      case 'linear':
        return this.#linear(at);
    }
  }

  #linear(at: number): Value {
    const { buckets, valueAt } = this.#of;
    const last = valueAt(this.#before) ?? null;
    if (last === null) return null;
    if (this.#after < at) {
      this.#after = at + 1;
      while (this.#after < buckets.length && (valueAt(this.#after) ?? null) === null) {
        this.#after += 1;
      }
    }
    const ends = { last, following: valueAt(this.#after) ?? null };
    return between(ends, [buckets[this.#before], buckets[at], buckets[this.#after]]);
  }
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
