/** Functions of the samples in a window. What they compute is the addon's. */

import { AppError } from '../../../common/errors/app-error.js';
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
import { droppingNames, type StepFrame, type VectorValue } from '../vectors/value.js';
import { kNameKey } from '../labels/label-table.js';
import { argumentAt, unwrapped } from './arguments.js';
import { definePromql, type PromqlDocumentation, type PromqlFunction } from './promql-function.js';

import type { AskedCall, Evaluate } from '../vectors/context.js';
import type {
  PromqlCall,
  Duration,
  PromqlExpression,
  MatrixSelector,
  TextPlace,
  Subquery,
  PromqlType,
  VectorSelector,
} from '../syntax/ast.js';

/** Of the last sample the name stays, too. */
function dropsName(fn: StepFunction): boolean {
  return fn !== 'last_over_time';
}

function rangeAt({ args }: PromqlCall): MatrixSelector | Subquery | null {
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
function placeOf(range: PromqlExpression): TextPlace {
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
function selectedNames(call: PromqlCall): readonly string[] | null {
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

/** A dot is an underscore where Prometheus escapes a name. */
function isNamedAsCounter(name: string): boolean {
  return /[_.](?:total|sum|count|bucket)$/.test(name);
}

/** Where neither its name nor its description says that it is a counter. */
async function informOfName(asked: AskedCall, name: string, place: TextPlace): Promise<void> {
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
  readonly frame: StepFrame;
  readonly evaluate: Evaluate;
  readonly of: OfRows;
}

/** Null: all else, and where names are not known. */
export function leafOf(expression: PromqlExpression): Leaf | null {
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
  const fn = leaf.name;
  const range = rangeAt(leaf);
  if (!isWindowFunction(fn) || range?.kind !== 'matrix') return null;
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

/** Functions of the language; the other step functions serve selectors. */
type RangeStepFunction = Exclude<StepFunction, 'last' | 'last_time' | 'samples'>;

interface Computed extends PromqlDocumentation {
  readonly takes?: readonly PromqlType[];
  readonly isExperimental?: boolean;
}

/** The addon computes these from the samples of a window, under the same names. */
const computed: Readonly<Record<RangeStepFunction, Computed>> = {
  rate: {
    sentence: 'The increase per second, extrapolated to the window; falls are counter resets.',
    example: 'rate(requests_total[5m])',
    answer: '{instance="1", job="db"} 0.5, {instance="1", job="api"} 1',
  },
  increase: {
    sentence: 'The increase, extrapolated to the window; falls are counter resets.',
    example: 'increase(requests_total[5m])',
    answer: '{instance="1", job="db"} 150, {instance="1", job="api"} 300',
  },
  delta: {
    sentence: 'The change of a gauge, extrapolated to the window.',
    example: 'delta(temperature[5m])',
    answer: '{room="a"} -4.375',
  },
  irate: {
    sentence: 'The increase per second between the last two samples of a counter.',
    example: 'irate(requests_total[5m])',
    answer: '{instance="1", job="db"} 0.5, {instance="1", job="api"} 1',
  },
  idelta: {
    sentence: 'The difference of the last two samples of a gauge.',
    example: 'idelta(temperature[5m])',
    answer: '{room="a"} -0.5',
  },
  deriv: {
    sentence: 'The slope per second of the line that fits the window best.',
    example: 'deriv(temperature[5m])',
    answer: '{room="a"} -0.015',
  },
  predict_linear: {
    takes: ['matrix', 'scalar'],
    sentence: 'The value in so many seconds, by the line that fits the window best.',
    example: 'predict_linear(requests_total[5m], 3600)',
    answer: '{instance="1", job="db"} 2100, {instance="1", job="api"} 4200',
  },
  changes: {
    sentence: 'How often the value changed.',
    example: 'changes(temperature[5m])',
    answer: '{room="a"} 4',
  },
  resets: {
    sentence: 'How often a counter fell.',
    example: 'resets(requests_total[5m])',
    answer: '{instance="1", job="db"} 0, {instance="1", job="api"} 0',
  },
  avg_over_time: {
    sentence: 'The mean.',
    example: 'avg_over_time(temperature[5m])',
    answer: '{room="a"} 22.1',
  },
  min_over_time: {
    sentence: 'The smallest value.',
    example: 'min_over_time(temperature[5m])',
    answer: '{room="a"} 20.5',
  },
  max_over_time: {
    sentence: 'The largest value.',
    example: 'max_over_time(temperature[5m])',
    answer: '{room="a"} 24',
  },
  sum_over_time: {
    sentence: 'The sum.',
    example: 'sum_over_time(temperature[5m])',
    answer: '{room="a"} 110.5',
  },
  count_over_time: {
    sentence: 'The number of samples.',
    example: 'count_over_time(temperature[5m])',
    answer: '{room="a"} 5',
  },
  last_over_time: {
    sentence: 'The newest value, with the name of the metric.',
    example: 'last_over_time(temperature[5m])',
    answer: 'temperature{room="a"} 20.5',
  },
  present_over_time: {
    sentence: '1 if the window has a sample.',
    example: 'present_over_time(temperature[5m])',
    answer: '{room="a"} 1',
  },
  quantile_over_time: {
    takes: ['scalar', 'matrix'],
    sentence: 'The quantile, interpolated between samples.',
    example: 'quantile_over_time(0.5, temperature[5m])',
    answer: '{room="a"} 22',
  },
  stddev_over_time: {
    sentence: 'The standard deviation of the population.',
    example: 'stddev_over_time(temperature[4m])',
    answer: '{room="a"} 0.960143218483576',
  },
  stdvar_over_time: {
    sentence: 'The variance of the population.',
    example: 'stdvar_over_time(temperature[4m])',
    answer: '{room="a"} 0.921875',
  },
  mad_over_time: {
    isExperimental: true,
    sentence: 'The median of the absolute differences from the median.',
    example: 'mad_over_time(temperature[5m])',
    answer: '{room="a"} 1',
  },
  ts_of_min_over_time: {
    isExperimental: true,
    sentence: 'The time of the last smallest value, in seconds since 1970.',
    example: 'ts_of_min_over_time(temperature[5m])',
    answer: '{room="a"} 600',
  },
  ts_of_max_over_time: {
    isExperimental: true,
    sentence: 'The time of the last largest value, in seconds since 1970.',
    example: 'ts_of_max_over_time(temperature[5m])',
    answer: '{room="a"} 360',
  },
  ts_of_last_over_time: {
    isExperimental: true,
    sentence: 'The time of the newest sample, in seconds since 1970.',
    example: 'ts_of_last_over_time(temperature[5m])',
    answer: '{room="a"} 600',
  },
  double_exponential_smoothing: {
    takes: ['matrix', 'scalar', 'scalar'],
    isExperimental: true,
    sentence: 'The smoothed value, by factors for level and trend between 0 and 1.',
    example: 'double_exponential_smoothing(temperature[5m], 0.5, 0.5)',
    answer: '{room="a"} 20.25',
  },
};

const isWindowFunction = (name: string): name is RangeStepFunction => Object.hasOwn(computed, name);

/** Not of Prometheus: vmalert asks with it how long alerts were active before it started. */
const defaultRollup = definePromql({
  name: 'default_rollup',
  takes: ['matrix'],
  sentence: 'The same as last_over_time, under the name that vmalert uses.',
  example: 'default_rollup(temperature[5m])',
  answer: 'temperature{room="a"} 20.5',
  evaluate: (asked) => evaluateRange(asked, 'last_over_time'),
});

export const rangeFunctions: readonly PromqlFunction[] = [
  ...(Object.keys(computed) as RangeStepFunction[]).map((fn) =>
    definePromql({
      ...{ name: fn, takes: ['matrix'], ...computed[fn] },
      evaluate: (asked) => evaluateRange(asked, fn),
    }),
  ),
  defaultRollup,
];
