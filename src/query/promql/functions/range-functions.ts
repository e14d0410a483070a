/** Functions of the samples in a window. What they compute is the addon's. */

import { AppError } from '../../../common/errors/app-error.js';
import { nativeNames } from '../../../storage/storage.js';
import { goQuote } from '../syntax/quote.js';
import {
  asTheyAre,
  readSelector,
  readSubquery,
  type OfRows,
  type RangeFunction,
  type StepFunction,
} from '../vectors/leaf.js';
import { lengthMs } from '../vectors/durations.js';
import { warnOfQuantile } from '../vectors/quantile-warning.js';
import { droppingNames, type Frame, type VectorValue } from '../vectors/value.js';
import { kNameKey } from '../labels/label-table.js';
import { argumentAt, unwrapped } from './arguments.js';
import { kBorrowedFunction } from './signatures.js';

import type { AskedCall, Evaluate } from '../vectors/context.js';
import type {
  Call,
  Duration,
  Expression,
  MatrixSelector,
  Place,
  Subquery,
  VectorSelector,
} from '../syntax/ast.js';
import type { Implementations } from './implementation.js';

/** What the addon makes of windows that is no function of the language. */
const selectorFunctions: ReadonlySet<StepFunction> = new Set(['last', 'last_time', 'samples']);
const names = nativeNames.stepFunctions.filter((name) => !selectorFunctions.has(name));

function functionOf(name: string): StepFunction | null {
  return names.find((known) => known === name) ?? null;
}

/** Of the last sample the name stays, too. */
function dropsName(fn: StepFunction): boolean {
  return fn !== 'last_over_time';
}

function rangeAt({ args }: Call): MatrixSelector | Subquery | null {
  for (const argument of args) {
    const range = unwrapped(argument);
    if (range.kind === 'matrix' || range.kind === 'subquery') return range;
  }
  return null;
}

/** The other arguments, one value for each step. */
async function parametersOf({ call, frame, evaluate }: AskedCall): Promise<Float64Array[]> {
  const parameters: Float64Array[] = [];
  for (const argument of call.args) {
    const { kind } = unwrapped(argument);
    if (kind === 'matrix' || kind === 'subquery') continue;
    parameters.push(await evaluate.scalar(argument, frame));
  }
  return parameters;
}

/** As the addon gives them, names and all. */
export async function rangeRows(
  asked: AskedCall,
  fn: StepFunction,
  of: OfRows = asTheyAre,
): Promise<VectorValue> {
  const { call } = asked;
  const range = rangeAt(call);
  if (range === null) throw new AppError('execution_error', `${call.name} wants a range`);
  const args = await parametersOf(asked);
  checkParameters(fn, args);
  const rows = await readRange(asked, range, { fn, args, ...of });
  if (rows.labels.rowCount > 0) noteParameters(asked, fn, args);
  return rows;
}

async function readRange(
  { frame, evaluate }: AskedCall,
  range: MatrixSelector | Subquery,
  wanted: RangeFunction,
): Promise<VectorValue> {
  if (range.kind === 'subquery') {
    return readSubquery(evaluate, { subquery: range, frame, wanted });
  }
  const rangeMs = lengthMs(range.range);
  return readSelector(evaluate.context, { selector: range.of, frame, wanted, rangeMs });
}

function checkParameters(fn: StepFunction, [first, second]: readonly Float64Array[]): void {
  if (fn !== 'double_exponential_smoothing') return;
  checkFactor('smoothing', first);
  checkFactor('trend', second);
}

/** Nothing is said of a parameter where there is nothing that it would be used for. */
function noteParameters(asked: AskedCall, fn: StepFunction, args: readonly Float64Array[]): void {
  const [first] = args;
  if (fn !== 'quantile_over_time' || first === undefined) return;
  const places = { place: argumentAt(asked, 0).place, by: asked.call.place };
  warnOfQuantile(asked.evaluate.context.notes, first, places);
}

function checkFactor(what: string, factors: Float64Array | undefined): void {
  for (const factor of factors ?? []) {
    if (factor > 0 && factor < 1) continue;
    const sign = what === 'smoothing' ? 'sf' : 'tf';
    const expected = `Expected: 0 < ${sign} < 1, got: ${factor.toFixed(6)}`;
    throw new AppError('execution_error', `invalid ${what} factor. ${expected}`);
  }
}

/** Prometheus knows no place of a subquery, and says where the text begins. */
function placeOf(range: Expression): Place {
  const { kind, place } = unwrapped(range);
  return kind === 'subquery' ? { start: 0, end: 0 } : place;
}

async function evaluateRange(
  asked: AskedCall,
  fn: StepFunction,
  of: OfRows = asTheyAre,
): Promise<VectorValue> {
  const rows = await rangeRows(asked, fn, of);
  if (tellsOfCounters(fn) && rows.labels.rowCount > 0) await informOfNames(asked, rows);
  return dropsName(fn) ? droppingNames(rows) : rows;
}

function tellsOfCounters(fn: StepFunction): boolean {
  return fn === 'rate' || fn === 'increase';
}

async function informOfNames(asked: AskedCall, rows: VectorValue): Promise<void> {
  const place = placeOf(argumentAt(asked, 0));
  for (const name of selectedNames(asked.call) ?? namesOf(rows)) {
    await informOfName(asked, name, place);
    await asked.evaluate.context.guard.breathe();
  }
}

/** As the selector says (rows that were added up cannot tell any more); null: it names none. */
function selectedNames(call: Call): readonly string[] | null {
  const range = rangeAt(call);
  if (range?.kind !== 'matrix') return null;
  const named = range.of.matchers.find(({ key, op }) => key === kNameKey && op === '=');
  return named === undefined ? null : [named.value];
}

function namesOf({ labels }: VectorValue): readonly string[] {
  const column = labels.columns.get(kNameKey);
  if (column === undefined) return [];
  return [...new Set(column.codes)].map((code) =>
    code === 0 ? '' : (column.texts[code - 1] ?? ''),
  );
}

function isNamedAsCounter(name: string): boolean {
  return /_(?:total|sum|count|bucket)$/.test(name);
}

/** Where neither its name nor its description says that it is a counter. */
async function informOfName(asked: AskedCall, name: string, place: Place): Promise<void> {
  const { context } = asked.evaluate;
  if (name === '' || isNamedAsCounter(name)) return;
  if (await context.source.isCounter(name)) return;
  const what = 'metric might not be a counter, name does not end in _total/_sum/_count/_bucket';
  context.notes.inform(`${what}: ${goQuote(name)}`, place, asked.call.place);
}

/** Samples of a selector, and what is made of them without any parameter. */
interface PlainRead {
  readonly selector: VectorSelector;
  readonly fn: StepFunction;
  /** Null: the newest sample that is not too old. */
  readonly range: Duration | null;
  readonly dropsName: boolean;
}

/** What the addon computes by itself. */
export interface Leaf {
  /** Rows, or what is made of them. */
  readonly read: (asked: LeafRead) => Promise<VectorValue>;
  /** Null: it has parameters. */
  readonly plain: PlainRead | null;
  /** It says and refuses the same whichever of its rows there are. */
  readonly isSilent: boolean;
}

interface LeafRead {
  readonly frame: Frame;
  readonly evaluate: Evaluate;
  readonly of: OfRows;
}

/** Null: all else, and where names are not known. */
export function leafOf(expression: Expression): Leaf | null {
  const leaf = unwrapped(expression);
  if (leaf.kind === 'selector') {
    const read = ({ frame, evaluate, of }: LeafRead): Promise<VectorValue> =>
      readSelector(evaluate.context, {
        ...{ selector: leaf, frame },
        wanted: { fn: 'last', args: [], ...of },
      });
    const plain = { selector: leaf, fn: 'last', range: null, dropsName: false } as const;
    return { read, plain, isSilent: true };
  }
  if (leaf.kind !== 'call') return null;
  const fn = functionOf(leaf.name);
  const range = rangeAt(leaf);
  if (fn === null || range?.kind !== 'matrix') return null;
  const selected = selectedNames(leaf);
  if (tellsOfCounters(fn) && selected === null) return null;
  return {
    read: ({ frame, evaluate, of }) => evaluateRange({ call: leaf, frame, evaluate }, fn, of),
    plain: leaf.args.length > 1 ? null : plainRead(fn, range),
    isSilent: isSilent(fn, selected),
  };
}

function plainRead(fn: StepFunction, { of, range }: MatrixSelector): PlainRead {
  return { selector: of, fn, range, dropsName: dropsName(fn) };
}

/** Of series of several names two may be the same without them. */
function isSilent(fn: StepFunction, selected: readonly string[] | null): boolean {
  if (selected === null || fn === 'quantile_over_time') return false;
  return !tellsOfCounters(fn) || selected.every(isNamedAsCounter);
}

export const rangeFunctions: Implementations = {
  ...Object.fromEntries(names.map((fn) => [fn, (asked: AskedCall) => evaluateRange(asked, fn)])),
  [kBorrowedFunction]: (asked: AskedCall) => evaluateRange(asked, 'last_over_time'),
};
