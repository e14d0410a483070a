/** Functions of each value by itself. */

import { eachRow, type AskedCall } from '../vectors/context.js';
import { droppingNames, stepsOf, type VectorValue } from '../vectors/value.js';
import { scalarAt, vectorAt } from './arguments.js';

import { definePromql, type PromqlDocumentation, type PromqlFunction } from './promql-function.js';

/** `of` makes the value of a cell out of it and its step. */
export async function mapCells(
  { frame, evaluate }: AskedCall,
  vector: VectorValue,
  of: (value: number, step: number) => number,
): Promise<VectorValue> {
  const { values, labels } = vector;
  const steps = frame.count;
  await eachRow(evaluate.context, { rowCount: labels.rowCount, steps }, (row) => {
    for (let step = 0; step < steps; step += 1) {
      values[row * steps + step] = of(values[row * steps + step] ?? NaN, step);
    }
  });
  return droppingNames(vector);
}

function ofEachValue(
  name: string,
  of: (value: number) => number,
  documentation: PromqlDocumentation,
): PromqlFunction {
  return definePromql({
    ...{ name, takes: ['vector'], ...documentation },
    evaluate: async (asked) => mapCells(asked, await vectorAt(asked, 0), of),
  });
}

/** As Go has them: beside what nothing is beyond, NaN does not count. */
function greater(a: number, b: number): number {
  return a === Infinity || b === Infinity ? Infinity : Math.max(a, b);
}

function lesser(a: number, b: number): number {
  return a === -Infinity || b === -Infinity ? -Infinity : Math.min(a, b);
}

async function clamp(asked: AskedCall): Promise<VectorValue> {
  const [lowest, highest] = [await scalarAt(asked, 1), await scalarAt(asked, 2)];
  const vector = await vectorAt(asked, 0);
  const clamped = await mapCells(asked, vector, (value, step) =>
    greater(lowest[step] ?? NaN, lesser(highest[step] ?? NaN, value)),
  );
  return withoutSteps(clamped, (step) => (highest[step] ?? NaN) < (lowest[step] ?? NaN));
}

/** Where nothing lies between the bounds, nothing is there. */
function withoutSteps(vector: VectorValue, isEmpty: (step: number) => boolean): VectorValue {
  const { values } = vector;
  const steps = stepsOf(vector);
  let present = vector.present;
  for (let step = 0; step < steps; step += 1) {
    if (!isEmpty(step)) continue;
    present ??= new Uint8Array(values.length).fill(1);
    for (let cell = step; cell < values.length; cell += steps) present[cell] = 0;
  }
  return { ...vector, present };
}

async function clampMin(asked: AskedCall): Promise<VectorValue> {
  const lowest = await scalarAt(asked, 1);
  const vector = await vectorAt(asked, 0);
  return mapCells(asked, vector, (value, step) => greater(value, lowest[step] ?? NaN));
}

async function clampMax(asked: AskedCall): Promise<VectorValue> {
  const highest = await scalarAt(asked, 1);
  const vector = await vectorAt(asked, 0);
  return mapCells(asked, vector, (value, step) => lesser(value, highest[step] ?? NaN));
}

/** To the nearest multiple; between two of them to the upper one. */
async function round(asked: AskedCall): Promise<VectorValue> {
  const multiples = await scalarAt(asked, 1, 1);
  const vector = await vectorAt(asked, 0);
  return mapCells(asked, vector, (value, step) => {
    // Division by the inverse keeps multiples such as 0.1 exact.
    const inverse = 1 / (multiples[step] ?? NaN);
    return Math.floor(value * inverse + 0.5) / inverse;
  });
}

const degrees = 180 / Math.PI;

export const mathFunctions: readonly PromqlFunction[] = [
  ofEachValue('abs', Math.abs, {
    sentence: 'The absolute value.',
    example: 'abs(-temperature)',
    answer: '{room="a"} 20.5',
  }),
  ofEachValue('ceil', Math.ceil, {
    sentence: 'The next integer at or above.',
    example: 'ceil(temperature)',
    answer: '{room="a"} 21',
  }),
  ofEachValue('floor', Math.floor, {
    sentence: 'The next integer at or below.',
    example: 'floor(temperature)',
    answer: '{room="a"} 20',
  }),
  definePromql({
    name: 'round',
    takes: ['vector', 'scalar'],
    optional: 1,
    sentence: 'The nearest multiple of a number, 1 if absent; a tie rounds up.',
    example: 'round(temperature, 5)',
    answer: '{room="a"} 20',
    evaluate: round,
  }),
  ofEachValue('sgn', (value) => (value < 0 ? -1 : value > 0 ? 1 : value), {
    sentence: 'The sign: -1, 0 or 1.',
    example: 'sgn(-temperature)',
    answer: '{room="a"} -1',
  }),
  ofEachValue('sqrt', Math.sqrt, {
    sentence: 'The square root.',
    example: 'sqrt(vector(9))',
    answer: '{} 3',
  }),
  ofEachValue('exp', Math.exp, {
    sentence: 'e to the power of the value.',
    example: 'exp(temperature - 20.5)',
    answer: '{room="a"} 1',
  }),
  ofEachValue('ln', Math.log, {
    sentence: 'The natural logarithm.',
    example: 'ln(temperature / 20.5)',
    answer: '{room="a"} 0',
  }),
  ofEachValue('log2', Math.log2, {
    sentence: 'The logarithm to base 2.',
    example: 'log2(vector(8))',
    answer: '{} 3',
  }),
  ofEachValue('log10', Math.log10, {
    sentence: 'The logarithm to base 10.',
    example: 'log10(vector(1000))',
    answer: '{} 3',
  }),
  ofEachValue('sin', Math.sin, {
    sentence: 'The sine of an angle in radians.',
    example: 'sin(vector(0))',
    answer: '{} 0',
  }),
  ofEachValue('cos', Math.cos, {
    sentence: 'The cosine of an angle in radians.',
    example: 'cos(vector(0))',
    answer: '{} 1',
  }),
  ofEachValue('tan', Math.tan, {
    sentence: 'The tangent of an angle in radians.',
    example: 'tan(vector(0))',
    answer: '{} 0',
  }),
  ofEachValue('asin', Math.asin, {
    sentence: 'The angle in radians with this sine.',
    example: 'asin(vector(0))',
    answer: '{} 0',
  }),
  ofEachValue('acos', Math.acos, {
    sentence: 'The angle in radians with this cosine.',
    example: 'acos(vector(1))',
    answer: '{} 0',
  }),
  ofEachValue('atan', Math.atan, {
    sentence: 'The angle in radians with this tangent.',
    example: 'atan(vector(0))',
    answer: '{} 0',
  }),
  ofEachValue('sinh', Math.sinh, {
    sentence: 'The hyperbolic sine.',
    example: 'sinh(vector(0))',
    answer: '{} 0',
  }),
  ofEachValue('cosh', Math.cosh, {
    sentence: 'The hyperbolic cosine.',
    example: 'cosh(vector(0))',
    answer: '{} 1',
  }),
  ofEachValue('tanh', Math.tanh, {
    sentence: 'The hyperbolic tangent.',
    example: 'tanh(vector(0))',
    answer: '{} 0',
  }),
  ofEachValue('asinh', Math.asinh, {
    sentence: 'The inverse hyperbolic sine.',
    example: 'asinh(vector(0))',
    answer: '{} 0',
  }),
  ofEachValue('acosh', Math.acosh, {
    sentence: 'The inverse hyperbolic cosine.',
    example: 'acosh(vector(1))',
    answer: '{} 0',
  }),
  ofEachValue('atanh', Math.atanh, {
    sentence: 'The inverse hyperbolic tangent.',
    example: 'atanh(vector(0))',
    answer: '{} 0',
  }),
  ofEachValue('deg', (value) => value * degrees, {
    sentence: 'Radians as degrees.',
    example: 'deg(vector(pi()))',
    answer: '{} 180',
  }),
  ofEachValue('rad', (value) => (value * Math.PI) / 180, {
    sentence: 'Degrees as radians.',
    example: 'rad(vector(180))',
    answer: '{} 3.141592653589793',
  }),
  definePromql({
    name: 'clamp',
    takes: ['vector', 'scalar', 'scalar'],
    sentence: 'The value, or the bound that it is beyond.',
    example: 'clamp(requests_total, 400, 500)',
    answer: '{instance="1", job="db"} 400, {instance="1", job="api"} 500',
    evaluate: clamp,
  }),
  definePromql({
    name: 'clamp_min',
    takes: ['vector', 'scalar'],
    sentence: 'The value, at least the bound.',
    example: 'clamp_min(requests_total, 400)',
    answer: '{instance="1", job="db"} 400, {instance="1", job="api"} 600',
    evaluate: clampMin,
  }),
  definePromql({
    name: 'clamp_max',
    takes: ['vector', 'scalar'],
    sentence: 'The value, at most the bound.',
    example: 'clamp_max(requests_total, 400)',
    answer: '{instance="1", job="db"} 300, {instance="1", job="api"} 400',
    evaluate: clampMax,
  }),
];
