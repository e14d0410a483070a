/** FILL: gives buckets without samples a value. */

import { AppError } from '../../../common/errors/app-error.js';
import { checkedFloat, checkedInteger, type Value } from '../../values/value.js';
import { bucketStart, fewestBuckets, nextBucket } from '../plan/bucket.js';
import { hullOf } from '../plan/intervals.js';

import { inOrder, keyText, type Group, type GroupedShape } from './groups.js';
import { asStep } from './operators.js';
import { inTurns } from '../../limits/turns.js';

import type { TimeRange } from '../../../common/model/time-range.js';
import type { TimeBucket, Fill, SelectPlan } from '../plan/plan.js';
import type { QueryRun } from './run.js';

type FillReading = Pick<QueryRun, 'guard' | 'source'>;

interface FillInput {
  readonly shape: GroupedShape;
  readonly groups: readonly Group[];
}

/**
 * Throws if FILL alone adds more rows than a query may have, whatever the samples are. One group
 * has as many rows as the range has buckets.
 */
export function requireFillRows(run: FillReading, { shape, intervals }: SelectPlan): void {
  const filled = shape.kind === 'grouped' ? filledBucket(shape, intervals) : null;
  if (filled !== null) requireBuckets(run, { ...filled, lineCount: 1 });
}

/** Checks a lower bound of the rows: `lineCount` groups with the fewest possible buckets each. */
function requireBuckets(
  { guard, source }: FillReading,
  { bucket, range, lineCount }: FilledLines,
): void {
  guard.requireRows(Number(fewestBuckets(bucket, range, source.unit)) * lineCount);
}

interface FilledBucket {
  readonly bucket: TimeBucket;
  /** The index of the bucket among the keys. */
  readonly bucketKey: number;
  readonly how: Fill;
  readonly range: TimeRange;
}

interface FilledLines extends Pick<FilledBucket, 'bucket' | 'range'> {
  readonly lineCount: number;
}

/** Null if nothing is filled. */
function filledBucket(
  { fill, keys }: GroupedShape,
  intervals: SelectPlan['intervals'],
): FilledBucket | null {
  const key = fill === null ? undefined : keys[fill.bucketKey];
  const range = hullOf(intervals);
  if (fill === null || range === null || key?.kind !== 'bucket') return null;
  return { ...fill, bucket: key.bucket, range };
}

/** FILL as a step of the query. */
export async function filledGroups(
  run: QueryRun,
  plan: SelectPlan,
  input: FillInput,
): Promise<readonly Group[]> {
  const rowsOf = ({ length }: readonly Group[]): number => length;
  const work = (): Promise<readonly Group[]> => fillGroups(run, plan, input);
  return asStep(run.counters.operators, 'fill', { work, rowsOf });
}

/** The given groups and the groups that FILL adds, in the default order. */
async function fillGroups(
  run: QueryRun,
  plan: SelectPlan,
  { shape, groups }: FillInput,
): Promise<readonly Group[]> {
  const filling = filledBucket(shape, plan.intervals);
  if (filling === null) return inOrder(run, groups, shape);
  const { bucketKey, how } = filling;
  const lines = new Map<string, Group[]>();
  await inTurns(run.guard, groups, (group) => {
    const others = keyText(group.keys.filter((_, at) => at !== bucketKey));
    const line = lines.get(others);
    if (line === undefined) lines.set(others, [group]);
    else line.push(group);
  });
  const buckets = await bucketsOf(run, { ...filling, lineCount: lines.size });
  run.guard.countHeld(buckets.length * lines.size * (shape.keys.length + shape.aggregates.length));
  const filled: Group[] = [];
  for (const line of lines.values()) {
    await fillLine(run, line, { filled, buckets, bucketKey, how, aggregates: shape.aggregates });
  }
  return inOrder(run, filled, shape);
}

async function bucketsOf(
  run: QueryRun,
  { bucket, range, lineCount }: FilledLines,
): Promise<readonly bigint[]> {
  if (lineCount === 0) return [];
  requireBuckets(run, { bucket, range, lineCount });
  const { unit } = run.source;
  const found: bigint[] = [];
  let at: bigint | null = firstBucket(bucket, range.start, unit);
  while (at !== null && at <= range.end) {
    found.push(at);
    run.guard.requireRows(found.length * lineCount);
    if (found.length % kBucketsPerLook === 0) await run.guard.breathe();
    at = nextBucket(bucket, at, unit);
  }
  return found;
}

const kBucketsPerLook = 128;

function firstBucket(bucket: TimeBucket, time: bigint, unit: QueryRun['source']['unit']): bigint {
  const start = bucketStart(bucket, time, unit);
  if (start !== null) return start;
  throw new AppError('query_limit_exceeded', 'FILL reaches beyond the largest or smallest time');
}

interface LineHow {
  readonly filled: Group[];
  readonly buckets: readonly bigint[];
  readonly bucketKey: number;
  readonly how: Fill;
  readonly aggregates: GroupedShape['aggregates'];
}

async function fillLine(run: QueryRun, line: readonly Group[], how: LineHow): Promise<void> {
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
  /** Undefined if the bucket has no sample. */
  readonly valueAt: (at: number) => Value | undefined;
}

/** The values of one aggregate, bucket by bucket, from the first. */
class FilledColumn {
  readonly #of: ColumnFill;
  /** `#before`: the last bucket with a value up to now. `#after`: the next bucket with one. */
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
