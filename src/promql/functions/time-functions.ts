/** Functions of time, and between scalars and vectors. */

import { readSelector } from '../vectors/leaf.js';
import { LabelTable } from '../labels/label-table.js';
import { eachRow, type AskedCall } from '../vectors/context.js';
import { droppingNames, vectorOf } from '../vectors/value.js';
import { argumentAt, scalarAt, unwrapped, vectorAt } from './arguments.js';
import { mapCells } from './math-functions.js';

import type { Frame, ScalarValue, VectorValue } from '../vectors/value.js';
import type { Implementation, Implementations } from './implementation.js';

/** Of a time in seconds, in UTC. */
const dateParts: Readonly<Record<string, (date: Date) => number>> = {
  minute: (date) => date.getUTCMinutes(),
  hour: (date) => date.getUTCHours(),
  day_of_week: (date) => date.getUTCDay(),
  day_of_month: (date) => date.getUTCDate(),
  day_of_year: (date) => {
    const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
    return (day - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000 + 1;
  },
  days_in_month: (date) =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate(),
  month: (date) => date.getUTCMonth() + 1,
  year: (date) => date.getUTCFullYear(),
};

/** In seconds. */
function timesOf({ start, step, count }: Frame): Float64Array {
  return Float64Array.from({ length: count }, (_, place) => (start + place * step) / 1000);
}

function scalarRow(values: Float64Array): VectorValue {
  return vectorOf({ labels: LabelTable.none(1), values, present: null, dropsName: null });
}

function datePart(partOf: (date: Date) => number): Implementation {
  const of = (seconds: number): number => partOf(new Date(Math.trunc(seconds) * 1000));
  return async (asked) => {
    if (asked.call.args.length === 0) return scalarRow(timesOf(asked.frame).map(of));
    return mapCells(asked, await vectorAt(asked, 0), of);
  };
}

/** When the sample of a selector was; of what is computed, when that was. */
async function timestamp(asked: AskedCall): Promise<VectorValue> {
  const { frame, evaluate } = asked;
  const argument = unwrapped(argumentAt(asked, 0));
  if (argument.kind === 'selector') {
    const wanted = { fn: 'last_time', args: [], fold: null } as const;
    const read = { selector: argument, frame, wanted };
    return droppingNames(await readSelector(evaluate.context, read));
  }
  const times = timesOf(frame);
  return mapCells(asked, await vectorAt(asked, 0), (_value, step) => times[step] ?? NaN);
}

/** The value of the only row; NaN where there is none, or another one. */
async function scalar(asked: AskedCall): Promise<ScalarValue> {
  const { labels, values, present } = await vectorAt(asked, 0);
  const steps = asked.frame.count;
  const counts = new Uint32Array(steps);
  const found = new Float64Array(steps);
  await eachRow(asked.evaluate.context, { rowCount: labels.rowCount, steps }, (row) => {
    for (let step = 0; step < steps; step += 1) {
      if (present !== null && present[row * steps + step] !== 1) continue;
      counts[step] = (counts[step] ?? 0) + 1;
      found[step] = values[row * steps + step] ?? NaN;
    }
  });
  asked.evaluate.context.cells.giveBack(values.length);
  return { kind: 'scalar', values: found.map((value, step) => (counts[step] === 1 ? value : NaN)) };
}

/** 1 at the steps at which there is nothing, with the labels that are known of what is missing. */
export async function absentRow(
  { frame, evaluate }: AskedCall,
  { labels: of, values, present: there }: VectorValue,
  labels: LabelTable,
): Promise<VectorValue> {
  const steps = frame.count;
  const present = new Uint8Array(steps).fill(1);
  await eachRow(evaluate.context, { rowCount: of.rowCount, steps }, (row) => {
    for (let step = 0; step < steps; step += 1) {
      if (there === null || there[row * steps + step] === 1) present[step] = 0;
    }
  });
  evaluate.context.cells.giveBack(values.length);
  if (!present.includes(1)) return noRow();
  return vectorOf({ labels, values: new Float64Array(steps).fill(1), present, dropsName: null });
}

function noRow(): VectorValue {
  const values = new Float64Array();
  return vectorOf({ labels: LabelTable.none(0), values, present: null, dropsName: null });
}

export const timeFunctions: Implementations = {
  ...Object.fromEntries(
    Object.entries(dateParts).map(([name, partOf]) => [name, datePart(partOf)] as const),
  ),
  time: ({ frame }) => ({ kind: 'scalar', values: timesOf(frame) }),
  pi: ({ frame }) => ({ kind: 'scalar', values: new Float64Array(frame.count).fill(Math.PI) }),
  vector: async (asked) => scalarRow(await scalarAt(asked, 0)),
  scalar,
  timestamp,
};
