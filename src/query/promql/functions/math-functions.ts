/** Functions of each value by itself. */

import { eachRow, type AskedCall } from '../vectors/context.js';
import { droppingNames, stepsOf, type VectorValue } from '../vectors/value.js';
import { scalarAt, vectorAt } from './arguments.js';

import type { Implementation, Implementations } from './implementation.js';

const degrees = 180 / Math.PI;

const ofOne: Readonly<Record<string, (value: number) => number>> = {
  abs: Math.abs,
  ceil: Math.ceil,
  floor: Math.floor,
  exp: Math.exp,
  ln: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  sqrt: Math.sqrt,
  sgn: (value) => (value < 0 ? -1 : value > 0 ? 1 : value),
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  deg: (value) => value * degrees,
  rad: (value) => (value * Math.PI) / 180,
};

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

function mathFunction(of: (value: number) => number): Implementation {
  return async (asked) => mapCells(asked, await vectorAt(asked, 0), of);
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

const simple = Object.entries(ofOne).map(([name, of]) => [name, mathFunction(of)] as const);

export const mathFunctions: Implementations = {
  ...Object.fromEntries(simple),
  clamp,
  clamp_min: clampMin,
  clamp_max: clampMax,
  round,
};
