/** Aggregations that select rows of each group unchanged: topk, bottomk, limitk, limit_ratio. */

import { AppError } from '../../../common/errors/app-error.js';
import { inSpans, sortInTurns, type Pauses } from '../../limits/turns.js';
import { rowsById } from '../labels/row-ids.js';
import { groupingOf, groupsOf } from './groups.js';
import { eachRow, Pace } from '../vectors/context.js';
import { shortFloat } from '../print/number-texts.js';
import { offsetsOf } from './ratio-offset.js';
import { pickRows, presenceOf, withoutEmptyRows, type VectorValue } from '../vectors/value.js';

import type { Aggregation } from '../syntax/ast.js';
import type { AskedAggregation, EvaluationContext } from '../vectors/context.js';

type ChoosingOp = 'topk' | 'bottomk' | 'limitk' | 'limit_ratio';

interface RowChoice {
  readonly rows: VectorValue;
  readonly steps: number;
  /** One parameter per step. */
  readonly parameters: Float64Array;
}

/** With one step, the rows come in order of rank. */
export async function chosenRows(asked: AskedAggregation): Promise<VectorValue> {
  const { aggregation, frame, evaluate } = asked;
  const parameters =
    aggregation.parameter === null
      ? new Float64Array(frame.count)
      : await evaluate.scalar(aggregation.parameter, frame);
  const rows = await evaluate.vector(aggregation.of, frame);
  const op = aggregation.op as ChoosingOp;
  if (op === 'limit_ratio') warnOfRatio(asked, parameters);
  if (rows.labels.rowCount === 0 || !isAnyWanted(op, parameters))
    return noRows(rows, evaluate.context.guard);
  checkParameters(op, parameters);
  const choice = { rows, steps: frame.count, parameters };
  return op === 'limit_ratio'
    ? sampled(evaluate.context, choice)
    : ranked(evaluate.context, choice, { op, aggregation });
}

function isAnyWanted(op: ChoosingOp, parameters: Float64Array): boolean {
  return op === 'limit_ratio'
    ? parameters.some((ratio) => ratio !== 0)
    : parameters.some((most) => most >= 1 || Number.isNaN(most));
}

function noRows(rows: VectorValue, pauses: Pauses): Promise<VectorValue> {
  return pickRows(rows, new Uint32Array(), pauses);
}

function checkParameters(op: ChoosingOp, parameters: Float64Array): void {
  if (parameters.some(Number.isNaN)) {
    throw refused(op === 'limit_ratio' ? 'Ratio value is NaN' : 'Parameter value is NaN');
  }
  if (op === 'limit_ratio') return;
  for (const most of parameters) {
    if (most <= -(2 ** 63)) throw refused(`Scalar value ${shortFloat(most)} underflows int64`);
    if (most >= 2 ** 63) throw refused(`Scalar value ${shortFloat(most)} overflows int64`);
  }
}

function refused(what: string): AppError {
  return new AppError('execution_error', what);
}

function warnOfRatio({ aggregation, evaluate }: AskedAggregation, ratios: Float64Array): void {
  const { parameter } = aggregation;
  if (parameter === null) return;
  const warn = (ratio: number, to: number): void => {
    const got = `got ${shortFloat(ratio)}, capping to ${to}`;
    const what = `ratio value should be between -1 and 1, ${got}`;
    evaluate.context.notes.warn(what, parameter.place, aggregation.place);
  };
  let [lowest, highest] = [0, 0];
  for (const ratio of ratios)
    [lowest, highest] = [Math.min(lowest, ratio), Math.max(highest, ratio)];
  if (highest > 1) warn(highest, 1);
  if (lowest < -1) warn(lowest, -1);
}

/** The rows whose label hash lies in the given part of its range. */
async function sampled(
  context: EvaluationContext,
  { rows, steps, parameters }: RowChoice,
): Promise<VectorValue> {
  const offsets = await offsetsOf(context, rows.labels);
  const present = presenceOf(rows);
  await eachRow(context, { rowCount: rows.labels.rowCount, steps }, (row) => {
    const offset = offsets[row] ?? 0;
    for (let step = 0; step < steps; step += 1) {
      const ratio = Math.max(-1, Math.min(1, parameters[step] ?? 0));
      const isIn = ratio >= 0 ? offset < ratio : offset >= 1 + ratio;
      if (!isIn) present[row * steps + step] = 0;
    }
  });
  return withoutEmptyRows({ ...rows, present }, context.guard);
}

interface RowRanking {
  readonly op: ChoosingOp;
  readonly aggregation: Aggregation;
}

async function ranked(
  { guard }: EvaluationContext,
  { rows, steps, parameters }: RowChoice,
  { op, aggregation }: RowRanking,
): Promise<VectorValue> {
  const groups = await groupsOf(rows, groupingOf(aggregation), guard);
  const members = await rowsById(groups, guard);
  const chosen = new Uint8Array(rows.values.length);
  // By rank; only an answer of one step has an order.
  const order = new Uint32Array(steps === 1 ? rows.labels.rowCount : 0);
  let count = 0;
  const pace = new Pace();
  for (let step = 0; step < steps; step += 1) {
    const most = Math.min(Math.trunc(parameters[step] ?? 0), rows.labels.rowCount);
    for (let id = 0; id < groups.count && most >= 1; id += 1) {
      const of = members.rows.subarray(members.starts[id], members.starts[id + 1]);
      if (pace.isDue(of.length + 1)) await guard.breathe();
      for (const row of await best({ guard, rows, of, step, steps }, most, op)) {
        chosen[row * steps + step] = 1;
        if (steps === 1) order[count++] = row;
      }
    }
  }
  const kept = { ...rows, present: chosen };
  return steps === 1
    ? pickRows(kept, order.subarray(0, count), guard)
    : withoutEmptyRows(kept, guard);
}

interface Candidates {
  readonly guard: Pauses;
  readonly rows: VectorValue;
  readonly of: Uint32Array;
  readonly step: number;
  readonly steps: number;
}

/** If more rows are wanted, they are sorted; fewer are inserted in order as they come. */
const kKeptInOrder = 64;

/** At most this many of the rows, best rank first. Among equals, the earlier row comes first. */
async function best(
  { guard, rows, of, step, steps }: Candidates,
  most: number,
  op: ChoosingOp,
): Promise<readonly number[]> {
  const { values, present } = rows;
  const valueOf = (row: number): number => values[row * steps + step] ?? NaN;
  if (op !== 'limitk' && most > kKeptInOrder) {
    const there: number[] = [];
    await inSpans(guard, { count: of.length }, (from, to) => {
      for (const row of of.subarray(from, to)) {
        if (present === null || present[row * steps + step] === 1) there.push(row);
      }
    });
    const order = (a: number, b: number): number =>
      Number(comesBefore(op, b, a)) - Number(comesBefore(op, a, b));
    const byRank = (a: number, b: number): number => order(valueOf(a), valueOf(b));
    return (await sortInTurns(guard, there, byRank)).slice(0, most);
  }
  const taken: number[] = [];
  const isBefore = (a: number, b: number): boolean => comesBefore(op, valueOf(a), valueOf(b));
  await inSpans(guard, { count: of.length }, (from, to) => {
    for (const row of of.subarray(from, to)) {
      if (present !== null && present[row * steps + step] !== 1) continue;
      const isFull = taken.length >= most;
      if (op === 'limitk') {
        if (isFull) return;
        taken.push(row);
        continue;
      }
      if (isFull && !isBefore(row, taken.at(-1) ?? row)) continue;
      taken.splice(placeIn(taken, row, isBefore), 0, row);
      if (isFull) taken.pop();
    }
  });
  return taken;
}

/** NaN is last in both orders. */
function comesBefore(op: ChoosingOp, a: number, b: number): boolean {
  if (Number.isNaN(b)) return !Number.isNaN(a);
  return op === 'topk' ? a > b : a < b;
}

/** The index after all rows that do not come after this one. */
function placeIn(
  taken: readonly number[],
  row: number,
  isBefore: (a: number, b: number) => boolean,
): number {
  let [low, high] = [0, taken.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = taken[middle];
    if (other !== undefined && isBefore(row, other)) high = middle;
    else low = middle + 1;
  }
  return low;
}
