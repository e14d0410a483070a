/** Expressions that read samples: selectors, range functions, subqueries. */

import { AppError } from '../../../common/errors/app-error.js';
import { milliseconds, type Milliseconds } from '../../../common/model/timestamp-unit.js';
import { inSpans } from '../../limits/turns.js';
import { LabelTable } from '../labels/label-table.js';
import { durationMs, lengthMs } from './durations.js';
import { besideOneAnother, repeated, sameRowsBeside, vectorOf, withoutEmptyRows } from './value.js';

import type {
  NativeName,
  StepComparison,
  StepFold,
  StepQuery,
  StepTable,
} from '../../../storage/storage.js';
import type { AtModifier, MatrixSelector, Subquery, VectorSelector } from '../syntax/ast.js';
import type { Evaluate, EvaluationContext, WholeRange } from './context.js';
import type { StepFrame, MatrixValue, VectorValue } from './value.js';

export type StepFunction = NativeName<'stepFunctions'>;

/** The addon's work on the rows, which then need not be returned. */
export interface OfRows {
  readonly fold: StepFold | null;
  readonly kept: StepComparison | null;
}

export const asTheyAre: OfRows = { fold: null, kept: null };

/** The function of the samples in each window. */
export interface RangeFunction extends OfRows {
  readonly fn: StepFunction;
  /** One value, or one per step. */
  readonly args: readonly Float64Array[];
}

/** Windows that end at t - offset, or all at one time (`atMs`). */
interface Windows {
  readonly windowMs: Milliseconds;
  readonly offsetMs: Milliseconds;
  readonly atMs: Milliseconds | null;
}

const plain = { args: [], ...asTheyAre };

export function evaluateSelector(
  context: EvaluationContext,
  selector: VectorSelector,
  frame: StepFrame,
): Promise<VectorValue> {
  return readSelector(context, { selector, frame, wanted: { fn: 'last', ...plain } });
}

interface SelectorRead {
  readonly selector: VectorSelector;
  readonly frame: StepFrame;
  readonly wanted: RangeFunction;
  /** If missing, the newest sample within the lookback counts. */
  readonly rangeMs?: Milliseconds;
}

/** The rows keep their names. */
export async function readSelector(
  context: EvaluationContext,
  { selector, frame, wanted, rangeMs }: SelectorRead,
): Promise<VectorValue> {
  const { offsetMs, atMs } = movedBy(selector, context);
  const windows = { windowMs: rangeMs ?? context.lookbackMs, offsetMs, atMs };
  const of = await context.source.select(selector.matchers);
  return readWindows(context, { of, windows, frame, wanted });
}

function movedBy(
  { offset, at }: Pick<VectorSelector, 'offset' | 'at'>,
  { whole }: EvaluationContext,
): Pick<Windows, 'offsetMs' | 'atMs'> {
  const offsetMs = offset === null ? milliseconds(0) : durationMs(offset);
  return { offsetMs, atMs: at === null ? null : atMsOf(at, whole) };
}

function atMsOf(at: AtModifier, whole: WholeRange): Milliseconds {
  if (at === 'start') return whole.start;
  if (at === 'end') return whole.end;
  return at.ms;
}

type LeafTimes = Pick<StepQuery, 'start' | 'step' | 'count' | 'window' | 'offset'>;

interface WindowedRead {
  readonly of: StepQuery['of'];
  readonly windows: Windows;
  readonly frame: StepFrame;
  readonly wanted: RangeFunction;
}

/**
 * With `@`, all steps have the same window, so most functions are computed once. If a function
 * depends on the step, each step is read separately.
 */
async function readWindows(
  context: EvaluationContext,
  { of, windows, frame, wanted }: WindowedRead,
): Promise<VectorValue> {
  const { windowMs: window, offsetMs, atMs } = windows;
  if (atMs === null) {
    const { start, step, count } = frame;
    const { fn, args, fold, kept } = wanted;
    const offset = offsetMs;
    return readSteps(context, { of, start, step, count, window, offset, fn, args, fold, kept });
  }
  if (frame.count > 1 && !dependsOnStep(wanted)) {
    const once = { of, windows, frame: { ...frame, count: 1 }, wanted };
    return repeated(context, await readWindows(context, once), frame.count);
  }
  const made: VectorValue[] = [];
  for (let step = 0; step < frame.count; step += 1) {
    const start = milliseconds(frame.start + step * frame.step);
    const offset = milliseconds(start - atMs + offsetMs);
    const args = wanted.args.map((arg) => (arg.length === 1 ? arg : arg.subarray(step, step + 1)));
    const times = { start, step: frame.step, count: 1, window, offset };
    made.push(await readSteps(context, { of, ...times, ...wanted, args }));
    await context.guard.breathe();
  }
  if (made.length === 1 && made[0] !== undefined) return made[0];
  return 'rowCount' in of ? sameRowsBeside(context, made) : besideOneAnother(context, made);
}

function dependsOnStep({ fn, args }: RangeFunction): boolean {
  return fn === 'predict_linear' || args.some((arg) => arg.some((one) => !Object.is(one, arg[0])));
}

type WantedSteps = LeafTimes & RangeFunction & Pick<StepQuery, 'of'>;

async function readTable(context: EvaluationContext, wanted: WantedSteps): Promise<StepTable> {
  const { cells, source } = context;
  requireNear(wanted);
  const { of, start, step, count, window, offset, fn, args, fold, kept } = wanted;
  const query = { of, start, step, count, window, offset, fn, args, fold, kept };
  const table = await source.read(query, cells);
  cells.adopt(table.values);
  return table;
}

/** Throws if a time exceeds the safe integers of milliseconds. */
export function requireNear({ start, offset, window }: Omit<LeafTimes, 'step' | 'count'>): void {
  const times = [start, offset, start - offset, start - offset - window];
  if (times.every(Number.isSafeInteger)) return;
  throw new AppError('execution_error', 'a time of the expression is too far from 1970');
}

async function readSteps(context: EvaluationContext, wanted: WantedSteps): Promise<VectorValue> {
  const { rowCount, labels, values, present } = await readTable(context, wanted);
  const table = tableOf(context, rowCount, labels);
  return vectorOf({ labels: table, values, present, dropsName: null });
}

function tableOf(
  { guard }: EvaluationContext,
  rowCount: number,
  labels: StepTable['labels'],
): LabelTable {
  if (labels === null) return LabelTable.none(rowCount);
  guard.texts.hold(labels.texts.reduce((sum, { bytes }) => sum + bytes.length, 0));
  return LabelTable.of(rowCount, labels, guard.texts);
}

/** The samples of a range at the top level, which only an instant query may have. */
export async function evaluateMatrix(
  evaluate: Evaluate,
  expression: MatrixSelector | Subquery,
  frame: StepFrame,
): Promise<MatrixValue> {
  if (expression.kind === 'subquery') return matrixOfRows(evaluate, expression, frame);
  const { context } = evaluate;
  const { offsetMs, atMs } = movedBy(expression.of, context);
  const table = await readTable(context, {
    ...{ of: await context.source.select(expression.of.matchers), fn: 'samples', ...plain },
    ...{ start: frame.start, step: frame.step, count: 1 },
    window: lengthMs(expression.range),
    offset: atMs === null ? offsetMs : milliseconds(frame.start - atMs + offsetMs),
  });
  const { rowCount, labels, values } = table;
  return {
    kind: 'matrix',
    labels: tableOf(context, rowCount, labels),
    values,
    times: table.times ?? new Float64Array(),
    ends: table.ends ?? new Uint32Array(),
  };
}

/** The rows of a subquery, and their steps. */
interface InnerRows {
  readonly rows: VectorValue;
  readonly frame: StepFrame;
  readonly windows: Windows;
}

/** The steps of a subquery are multiples of its step, whatever the outer frame. */
async function innerRows(
  evaluate: Evaluate,
  subquery: Subquery,
  frame: StepFrame,
): Promise<InnerRows> {
  const { context } = evaluate;
  const windowMs = lengthMs(subquery.range);
  const step = subquery.step === null ? context.subqueryStepMs : lengthMs(subquery.step);
  const moved = movedBy(subquery, context);
  const first = (moved.atMs ?? frame.start) - moved.offsetMs;
  const last = (moved.atMs ?? frame.start + (frame.count - 1) * frame.step) - moved.offsetMs;
  const start = milliseconds((Math.floor((first - windowMs) / step) + 1) * step);
  const count = Math.max(0, Math.floor((last - start) / step) + 1);
  const inner = { start, step, count };
  const windows = { windowMs, ...moved };
  context.cells.require(count);
  const rows = await evaluate.vector(subquery.of, inner);
  return { rows, frame: inner, windows };
}

/** The rows of a subquery keep their names. */
export async function readSubquery(
  evaluate: Evaluate,
  { subquery, frame, wanted }: SubqueryRead,
): Promise<VectorValue> {
  const { rows, frame: inner, windows } = await innerRows(evaluate, subquery, frame);
  const { labels, values, present, dropsName } = rows;
  const of = { rowCount: labels.rowCount, ...inner, values, present };
  const made = await readWindows(evaluate.context, { of, windows, frame, wanted });
  evaluate.context.cells.giveBack(values);
  return withoutEmptyRows({ ...made, labels, dropsName }, evaluate.context.guard);
}

interface SubqueryRead {
  readonly subquery: Subquery;
  readonly frame: StepFrame;
  readonly wanted: RangeFunction;
}

async function matrixOfRows(
  evaluate: Evaluate,
  subquery: Subquery,
  frame: StepFrame,
): Promise<MatrixValue> {
  const { rows, frame: inner } = await innerRows(evaluate, subquery, frame);
  const { labels, values, present } = rows;
  const ends = new Uint32Array(labels.rowCount);
  const kept: number[] = [];
  const { guard } = evaluate.context;
  await inSpans(guard, { count: labels.rowCount, width: inner.count }, (from, to) => {
    for (let row = from; row < to; row += 1) {
      for (let cell = row * inner.count; cell < (row + 1) * inner.count; cell += 1) {
        if (present === null || present[cell] === 1) kept.push(cell);
      }
      ends[row] = kept.length;
    }
  });
  const at = { values: new Float64Array(kept.length), times: new Float64Array(kept.length) };
  await inSpans(guard, { count: kept.length }, (from, to) => {
    for (let place = from; place < to; place += 1) {
      const cell = kept[place] ?? 0;
      at.values[place] = values[cell] ?? NaN;
      at.times[place] = inner.start + (cell % inner.count) * inner.step;
    }
  });
  return { kind: 'matrix', labels, ...at, ends };
}
