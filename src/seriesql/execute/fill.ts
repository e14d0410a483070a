/** FILL: the buckets without samples get their values. */

import { AppError } from '../../errors/app-error.js';
import { checkedFloat, checkedInteger, type Value } from '../language/value.js';
import { bucketStart, nextBucket } from '../plan/bucket.js';
import { hullOf } from '../plan/intervals.js';

import { inOrder, keyText, type Group, type GroupedShape } from './groups.js';
import { asStep } from './operators.js';
import { inTurns } from './turns.js';

import type { Bucket, Expr, Fill, SelectPlan } from '../plan/plan.js';
import type { Run } from './run.js';

interface FillInput {
  readonly shape: GroupedShape;
  readonly groups: readonly Group[];
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
