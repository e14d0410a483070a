/** Turns the table of a group query into groups for HAVING, ORDER BY and projection. */

import { kI64Min } from '../../values/value.js';
import { accumulatorOf } from '../execute/accumulator-of.js';

import type { StoredTable, StoredTableColumn } from '../../../storage/storage.js';
import type { Value, ValueType } from '../../values/value.js';
import type { TimeBucket } from '../plan/plan.js';
import type { Group, GroupedShape } from '../execute/groups.js';
import type { QueryRun } from '../execute/run.js';
import type { Texts } from './reading.js';

const kNullCode = 0xffff_ffff;

const booleans = [false, null, true] as const;

/** Reads the value of a column in a row. */
function readerOf(column: StoredTableColumn): (row: number) => Value {
  if (column instanceof Float64Array) {
    return (row) => {
      const value = column[row] ?? Number.NaN;
      return Number.isNaN(value) ? null : value;
    };
  }
  if (column instanceof BigInt64Array || column instanceof BigUint64Array) {
    return (row) => column[row] ?? null;
  }
  if (column instanceof Uint8Array) {
    return (row) => booleans[column[row] ?? 1] ?? null;
  }
  if ('integers' in column) {
    const { integers, nulls } = column;
    return (row) => (nulls[row] === 0 ? (integers[row] ?? null) : null);
  }
  const { texts, codes } = column;
  return (row) => texts[codes[row] ?? kNullCode] ?? null;
}

const asFloat = (value: Value): Value => (typeof value === 'bigint' ? Number(value) : value);

/** Maps ranks back to texts. A column of label texts holds the texts themselves. */
function textReader(read: (row: number) => Value, texts: readonly Value[]): (row: number) => Value {
  return (row) => {
    const value = read(row);
    return typeof value === 'bigint' ? (texts[Number(value)] ?? null) : value;
  };
}

/** Converts an aggregate from the addon's type to the type of the plan. */
function aggregateReader(
  read: (row: number) => Value,
  type: ValueType,
  texts: readonly Value[],
): (row: number) => Value {
  switch (type) {
    // FILL may make a count a float.
    case 'float':
      return (row) => asFloat(read(row));
    case 'boolean':
      return (row) => {
        const value = read(row);
        return value === null ? null : value !== 0n;
      };
    case 'string':
      return textReader(read, texts);
    default:
      return read;
  }
}

/** The shape of the groups, and the texts that their ranks index. */
interface RankedShape {
  readonly shape: GroupedShape;
  readonly texts: Texts;
}

/** Readers of all columns, keys first. A bucket at the earliest time may have no start (null). */
function readersOf(
  table: StoredTable,
  { shape, texts }: RankedShape,
): readonly ((row: number) => Value)[] {
  return table.columns.map((column, at) => {
    const read = readerOf(column);
    const key = shape.keys[at];
    const aggregate = shape.aggregates[at - shape.keys.length];
    if (aggregate !== undefined) return aggregateReader(read, aggregate.type, texts.ofAggregates);
    if (key?.type === 'string') return textReader(read, texts.ofKeys);
    if (key?.kind !== 'bucket' || !isEarliestNull(key.bucket)) return read;
    return (row) => {
      const start = read(row);
      return start === kI64Min ? null : start;
    };
  });
}

/** True if the least time means "no start". No month begins at that time. */
function isEarliestNull(bucket: TimeBucket): boolean {
  return bucket.kind !== 'fixed' || (kI64Min - bucket.origin) % bucket.width !== 0n;
}

/** Without keys, the query has one group even if there are no samples. */
export async function groupsOfTable(
  run: QueryRun,
  table: StoredTable,
  ranked: RankedShape,
): Promise<readonly Group[]> {
  const { shape } = ranked;
  const { guard } = run;
  if (table.rowCount === 0 && shape.keys.length === 0) {
    const aggregates = shape.aggregates.map((one) => accumulatorOf(one, run).result());
    return [{ keys: [], aggregates }];
  }
  const readers = readersOf(table, ranked);
  const keys = readers.slice(0, shape.keys.length);
  const aggregates = readers.slice(shape.keys.length);
  guard.countHeld(table.rowCount * readers.length);
  const groups: Group[] = [];
  while (groups.length < table.rowCount) {
    const to = Math.min(table.rowCount, groups.length + guard.rowsPerLook);
    for (let row = groups.length; row < to; row++) {
      groups.push({
        keys: keys.map((read) => read(row)),
        aggregates: aggregates.map((read) => read(row)),
      });
    }
    await guard.breathe();
  }
  return groups;
}
