/** Operators between rows of two sides with the same labels, as selected by the matching. */

import { AppError } from '../../../common/errors/app-error.js';
import { inSpans, kSpan, type Pauses } from '../../limits/turns.js';
import { kNameKey, metadataKeys, type LabelTable } from '../labels/label-table.js';
import { jointIds, rowIds, rowsById, type RowsById } from '../labels/row-ids.js';
import { eachRow, Pace, type EvaluationContext } from '../vectors/context.js';
import { presenceOfAny } from '../vectors/presence.js';
import { compare, compute, isComparison, type ValueOp } from '../vectors/operators.js';
import {
  mergeSame,
  pickFlags,
  stepsOf,
  vectorOf,
  withoutEmptyRows,
  type VectorValue,
} from '../vectors/value.js';

import type { PromqlBinary, VectorMatching } from '../syntax/ast.js';

interface Sides {
  readonly binary: PromqlBinary;
  readonly op: ValueOp;
  readonly left: VectorValue;
  readonly right: VectorValue;
}

const oneToOne: VectorMatching = {
  ...{ cardinality: 'oneToOne', isOn: false, labels: [], include: [] },
};

/** `many`: the side whose rows may share a match. `one`: at most one of its rows matches. */
interface Matched {
  readonly matching: VectorMatching;
  readonly many: VectorValue;
  readonly one: VectorValue;
  readonly isSwapped: boolean;
  readonly manyIds: Uint32Array;
  readonly oneIds: Uint32Array;
  readonly idCount: number;
  readonly steps: number;
}

export async function matchVectors(context: EvaluationContext, sides: Sides): Promise<VectorValue> {
  const matched = await matchSides(context, sides);
  const { guard } = context;
  const ofOne = { ids: matched.oneIds, count: matched.idCount };
  const oneById = await rowsById(ofOne, guard);
  await requireOne(context, matched, oneById);
  const { many, one, steps } = matched;
  const count = await countPairs(matched, oneById, guard);
  context.cells.require(count * steps);
  const pairs = await pairsOf(matched, oneById, { count, pauses: guard });
  const values = context.cells.make(pairs.many.length * steps);
  const present = new Uint8Array(values.length);
  const size = { rowCount: pairs.many.length, steps };
  await eachRow(context, size, (pair) => {
    fillPair({ sides, matched, values, present }, pairs, pair);
  });
  const named = await labelsOfPairs(matched, pairs, guard);
  await requireDistinct(matched, pairs, { present, steps, named, pauses: guard });
  context.cells.giveBack(many.values);
  context.cells.giveBack(one.values);
  const labels = isComparison(sides.op) ? named : named.without(gone(matched.matching));
  const dropsName = sides.binary.isBool
    ? new Uint8Array(labels.rowCount).fill(1)
    : isComparison(sides.op)
      ? await pickFlags(many.dropsName, { rows: pairs.many, width: 1, pauses: guard })
      : null;
  const made = vectorOf({ labels, values, present, dropsName });
  return mergeSame(await withoutEmptyRows(made, guard), guard);
}

async function matchSides(context: EvaluationContext, sides: Sides): Promise<Matched> {
  const { binary, left, right } = sides;
  const matching = binary.matching ?? oneToOne;
  const { isOn, labels } = matching;
  const isSwapped = matching.cardinality === 'oneToMany';
  const [many, one] = isSwapped ? [right, left] : [left, right];
  const tables = { left: many.labels, right: one.labels };
  const ids = await jointIds(tables, { isWithout: !isOn, labels }, context.guard);
  const steps = stepsOf(many);
  return {
    ...{ matching, many, one, isSwapped, steps, idCount: ids.count },
    manyIds: ids.left,
    oneIds: ids.right,
  };
}

function isThere({ present }: VectorValue, cell: number): boolean {
  return present === null || present[cell] === 1;
}

/**
 * Throws if two rows of the one side share a signature at a step where the many side has any row.
 */
async function requireOne(
  context: EvaluationContext,
  matched: Matched,
  { starts, rows }: RowsById,
): Promise<void> {
  const { many, one, steps, oneIds } = matched;
  const wanted = await presenceOfAny(context, many, steps);
  // For the current signature: the row with a value at each step, plus one.
  let taken = new Uint32Array(0);
  let id = -1;
  await eachRow(context, { rowCount: rows.length, steps }, (place) => {
    const row = rows[place] ?? 0;
    const own = oneIds[row] ?? 0;
    if ((starts[own + 1] ?? 0) - (starts[own] ?? 0) < 2) return;
    if (own !== id) [id, taken] = [own, new Uint32Array(steps)];
    for (let step = 0; step < steps; step += 1) {
      if (!isThere(one, row * steps + step)) continue;
      const other = taken[step] ?? 0;
      if (other > 0 && wanted[step] === 1) throw duplicates(matched, other - 1, row);
      taken[step] = row + 1;
    }
  });
}

function duplicates({ matching, one, isSwapped }: Matched, a: number, b: number): AppError {
  const { isOn, labels } = matching;
  const group = isOn ? one.labels.only(labels) : one.labels.without([...labels, kNameKey]);
  const side = isSwapped ? 'left' : 'right';
  const shown = `[${one.labels.describe(b)}, ${one.labels.describe(a)}]`;
  return new AppError(
    'execution_error',
    `found duplicate series for the match group ${group.describe(a)} on the ${side} hand-side of the operation: ${shown};many-to-many matching not allowed: matching labels must be unique on one side`,
  );
}

/** Pairs of matching rows, in the order of the many side. */
interface MatchedPairs {
  readonly many: Uint32Array;
  readonly one: Uint32Array;
}

async function countPairs(
  { manyIds }: Matched,
  { starts }: RowsById,
  pauses: Pauses,
): Promise<number> {
  let count = 0;
  await inSpans(pauses, { count: manyIds.length }, (from, to) => {
    for (let row = from; row < to; row += 1) {
      const id = manyIds[row] ?? 0;
      count += (starts[id + 1] ?? 0) - (starts[id] ?? 0);
    }
  });
  return count;
}

async function pairsOf(
  { manyIds }: Matched,
  { starts, rows }: RowsById,
  { count, pauses }: { readonly count: number; readonly pauses: Pauses },
): Promise<MatchedPairs> {
  const [many, one] = [new Uint32Array(count), new Uint32Array(count)];
  let pair = 0;
  let due = kSpan;
  for (let row = 0; row < manyIds.length; row += 1) {
    const id = manyIds[row] ?? 0;
    for (let at = starts[id] ?? 0; at < (starts[id + 1] ?? 0); at += 1) {
      many[pair] = row;
      one[pair] = rows[at] ?? 0;
      pair += 1;
    }
    if (row + pair < due) continue;
    due = row + pair + kSpan;
    await pauses.breathe();
  }
  return { many, one };
}

/** The results of pairs: the steps with a value, and the labels. */
interface MadeVector {
  readonly present: Uint8Array;
  readonly steps: number;
  readonly named: LabelTable;
  readonly pauses: Pauses;
}

/** Throws if several rows of the many side match and their results have the same labels. */
async function requireDistinct(
  matched: Matched,
  pairs: MatchedPairs,
  made: MadeVector,
): Promise<void> {
  const { matching, manyIds, idCount } = matched;
  const { steps, pauses } = made;
  const isOneToOne = matching.cardinality === 'oneToOne';
  const like = isOneToOne ? null : (await rowIds(made.named, pauses)).ids;
  const pairIds = new Uint32Array(pairs.many.length);
  await inSpans(pauses, { count: pairIds.length }, (from, to) => {
    for (let pair = from; pair < to; pair += 1) pairIds[pair] = manyIds[pairs.many[pair] ?? 0] ?? 0;
  });
  const { starts, rows } = await rowsById({ ids: pairIds, count: idCount }, pauses);
  const pace = new Pace();
  for (let id = 0; id < idCount; id += 1) {
    const [start, end] = [starts[id] ?? 0, starts[id + 1] ?? 0];
    if (pace.isDue((end - start) * steps + 1)) await pauses.breathe();
    if (end - start < 2) continue;
    const of = rows.subarray(start, end);
    if (like === null) requireAlone(made, of);
    else await requireUnlike(made, of, like);
  }
}

function requireAlone({ present, steps }: MadeVector, of: Uint32Array): void {
  for (let step = 0; step < steps; step += 1) {
    let count = 0;
    for (const pair of of) count += present[pair * steps + step] ?? 0;
    if (count > 1)
      throw ambiguous('many-to-one matching must be explicit (group_left/group_right)');
  }
}

/** An entry of a Map is as much work as so many cells. */
const kCellsOfEntry = 8;

/** `like`: a number per pair, equal for pairs with equal labels. */
async function requireUnlike(
  { present, steps, pauses }: MadeVector,
  of: Uint32Array,
  like: Uint32Array,
): Promise<void> {
  const seen = new Map<number, Uint8Array | number>();
  const pace = new Pace();
  for (const pair of of) {
    if (pace.isDue(kCellsOfEntry + steps)) await pauses.breathe();
    const id = like[pair] ?? 0;
    const other = seen.get(id);
    if (other === undefined) {
      seen.set(id, pair);
      continue;
    }
    const taken =
      typeof other === 'number' ? present.slice(other * steps, (other + 1) * steps) : other;
    seen.set(id, taken);
    for (let step = 0; step < steps; step += 1) {
      if (present[pair * steps + step] !== 1) continue;
      if (taken[step] === 1) throw ambiguous('grouping labels must ensure unique matches');
      taken[step] = 1;
    }
  }
}

function ambiguous(what: string): AppError {
  return new AppError('execution_error', `multiple matches for labels: ${what}`);
}

interface Filling {
  readonly sides: Sides;
  readonly matched: Matched;
  readonly values: Float64Array;
  readonly present: Uint8Array;
}

function fillPair(
  { sides, matched, values, present }: Filling,
  pairs: MatchedPairs,
  pair: number,
): void {
  const { many, one, steps, isSwapped } = matched;
  const { binary, op } = sides;
  const [manyFrom, oneFrom] = [(pairs.many[pair] ?? 0) * steps, (pairs.one[pair] ?? 0) * steps];
  for (let step = 0; step < steps; step += 1) {
    if (!isThere(many, manyFrom + step) || !isThere(one, oneFrom + step)) continue;
    const [a, b] = [many.values[manyFrom + step] ?? NaN, one.values[oneFrom + step] ?? NaN];
    const [left, right] = isSwapped ? [b, a] : [a, b];
    const cell = pair * steps + step;
    if (!isComparison(op)) {
      values[cell] = compute(op, left, right);
      present[cell] = 1;
      continue;
    }
    const isTrue = compare(op, left, right);
    values[cell] = binary.isBool ? Number(isTrue) : left;
    present[cell] = binary.isBool || isTrue ? 1 : 0;
  }
}

/** The labels of the many side, with the name, plus the included labels of the one side. */
async function labelsOfPairs(
  { matching, many, one }: Matched,
  pairs: MatchedPairs,
  pauses: Pauses,
): Promise<LabelTable> {
  let labels = await many.labels.pick(pairs.many, pauses);
  if (matching.cardinality === 'oneToOne') {
    labels = matching.isOn ? labels.only(matching.labels) : labels.without(matching.labels);
  }
  if (matching.include.length === 0) return labels;
  const included = await one.labels.only(matching.include).pick(pairs.one, pauses);
  labels = labels.without(matching.include);
  for (const [key, column] of included.columns) labels = labels.with(key, column);
  return labels;
}

/** Labels that a computed value loses, unless the matching includes them. */
function gone({ include }: VectorMatching): readonly string[] {
  return metadataKeys.filter((key) => !include.includes(key));
}
