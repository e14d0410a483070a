/** Functions of time, and between scalars and vectors. */

import { daysFromCivil } from '../../../common/model/calendar.js';
import { asTheyAre, readSelector } from '../vectors/leaf.js';
import { LabelTable } from '../labels/label-table.js';
import { eachRow, type AskedCall } from '../vectors/context.js';
import { presenceOfAny } from '../vectors/presence.js';
import { droppingNames, vectorOf } from '../vectors/value.js';
import { argumentAt, scalarAt, unwrapped, vectorAt } from './arguments.js';
import { mapCells } from './math-functions.js';

import type { ScalarValue, VectorValue } from '../vectors/value.js';
import type { Implementation, Implementations } from './implementation.js';

/** Of a time in seconds, in UTC. */
const dateParts: Readonly<Record<string, (date: Date) => number>> = {
  minute: (date) => date.getUTCMinutes(),
  hour: (date) => date.getUTCHours(),
  day_of_week: (date) => date.getUTCDay(),
  day_of_month: (date) => date.getUTCDate(),
  day_of_year: (date) => {
    const year = date.getUTCFullYear();
    const today = daysFromCivil(year, date.getUTCMonth() + 1, date.getUTCDate());
    return today - daysFromCivil(year, 1, 1) + 1;
  },
  days_in_month: (date) => {
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
    const [nextYear, next] = month === 12 ? [year + 1, 1] : [year, month + 1];
    return daysFromCivil(nextYear, next, 1) - daysFromCivil(year, month, 1);
  },
  month: (date) => date.getUTCMonth() + 1,
  year: (date) => date.getUTCFullYear(),
};

/** In seconds. */
function timesOf({ frame, evaluate }: AskedCall): Float64Array {
  const { start, step, count } = frame;
  const times = evaluate.context.cells.make(count);
  for (let place = 0; place < count; place += 1) times[place] = (start + place * step) / 1000;
  return times;
}

function scalarRow(values: Float64Array): VectorValue {
  return vectorOf({ labels: LabelTable.none(1), values, present: null, dropsName: null });
}

function mappedInPlace(values: Float64Array, of: (value: number) => number): Float64Array {
  for (let place = 0; place < values.length; place += 1) values[place] = of(values[place] ?? NaN);
  return values;
}

function datePart(partOf: (date: Date) => number): Implementation {
  const of = (seconds: number): number => partOf(new Date(Math.trunc(seconds) * 1000));
  return async (asked) => {
    if (asked.call.args.length === 0) return scalarRow(mappedInPlace(timesOf(asked), of));
    return mapCells(asked, await vectorAt(asked, 0), of);
  };
}

/** When the sample of a selector was; of what is computed, when that was. */
async function timestamp(asked: AskedCall): Promise<VectorValue> {
  const { frame, evaluate } = asked;
  const argument = unwrapped(argumentAt(asked, 0));
  if (argument.kind === 'selector') {
    const wanted = { fn: 'last_time', args: [], ...asTheyAre } as const;
    const read = { selector: argument, frame, wanted };
    return droppingNames(await readSelector(evaluate.context, read));
  }
  const times = timesOf(asked);
  return mapCells(asked, await vectorAt(asked, 0), (_value, step) => times[step] ?? NaN);
}

/** The value of the only row; NaN where there is none, or another one. */
async function scalar(asked: AskedCall): Promise<ScalarValue> {
  const { labels, values, present } = await vectorAt(asked, 0);
  const steps = asked.frame.count;
  const counts = new Uint32Array(steps);
  const found = asked.evaluate.context.cells.make(steps);
  await eachRow(asked.evaluate.context, { rowCount: labels.rowCount, steps }, (row) => {
    for (let step = 0; step < steps; step += 1) {
      if (present !== null && present[row * steps + step] !== 1) continue;
      counts[step] = (counts[step] ?? 0) + 1;
      found[step] = values[row * steps + step] ?? NaN;
    }
  });
  asked.evaluate.context.cells.giveBack(values);
  for (let step = 0; step < steps; step += 1) if (counts[step] !== 1) found[step] = NaN;
  return { kind: 'scalar', values: found };
}

/** 1 at the steps at which there is nothing, with the labels that are known of what is missing. */
export async function absentRow(
  { frame, evaluate }: AskedCall,
  vector: VectorValue,
  labels: LabelTable,
): Promise<VectorValue> {
  const { context } = evaluate;
  const there = await presenceOfAny(context, vector, frame.count);
  context.cells.giveBack(vector.values);
  if (!there.includes(0)) return noRow();
  const values = context.cells.make(frame.count).fill(1);
  return vectorOf({ labels, values, present: there.map((one) => 1 - one), dropsName: null });
}

function noRow(): VectorValue {
  const values = new Float64Array();
  return vectorOf({ labels: LabelTable.none(0), values, present: null, dropsName: null });
}

export const timeFunctions: Implementations = {
  ...Object.fromEntries(
    Object.entries(dateParts).map(([name, partOf]) => [name, datePart(partOf)] as const),
  ),
  time: (asked) => ({ kind: 'scalar', values: timesOf(asked) }),
  pi: ({ frame, evaluate }) => ({
    kind: 'scalar',
    values: evaluate.context.cells.make(frame.count).fill(Math.PI),
  }),
  vector: async (asked) => scalarRow(await scalarAt(asked, 0)),
  scalar,
  timestamp,
};
