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
import { definePromql, type PromqlDocumentation, type PromqlFunction } from './promql-function.js';

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

/** Of times in seconds, the evaluation's own if absent, in UTC. */
function datePart(
  name: string,
  partOf: (date: Date) => number,
  documentation: PromqlDocumentation,
): PromqlFunction {
  const of = (seconds: number): number => partOf(new Date(Math.trunc(seconds) * 1000));
  return definePromql({
    ...{ name, takes: ['vector'], optional: 1, ...documentation },
    evaluate: async (asked) => {
      if (asked.call.args.length === 0) return scalarRow(mappedInPlace(timesOf(asked), of));
      return mapCells(asked, await vectorAt(asked, 0), of);
    },
  });
}

function dayOfYear(date: Date): number {
  const year = date.getUTCFullYear();
  const today = daysFromCivil(year, date.getUTCMonth() + 1, date.getUTCDate());
  return today - daysFromCivil(year, 1, 1) + 1;
}

function daysInMonth(date: Date): number {
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  const [nextYear, next] = month === 12 ? [year + 1, 1] : [year, month + 1];
  return daysFromCivil(nextYear, next, 1) - daysFromCivil(year, month, 1);
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

export const timeFunctions: readonly PromqlFunction[] = [
  definePromql({
    name: 'time',
    takes: [],
    returns: 'scalar',
    sentence: 'The time of the evaluation, in seconds since 1970.',
    example: 'time()',
    answer: '600',
    evaluate: (asked) => ({ kind: 'scalar', values: timesOf(asked) }),
  }),
  definePromql({
    name: 'timestamp',
    takes: ['vector'],
    sentence: 'The time of the sample, in seconds since 1970.',
    example: 'timestamp(temperature offset 90s)',
    answer: '{room="a"} 480',
    evaluate: timestamp,
  }),
  datePart('minute', (date) => date.getUTCMinutes(), {
    sentence: 'The minute of the hour, in UTC.',
    example: 'minute()',
    answer: '{} 10',
  }),
  datePart('hour', (date) => date.getUTCHours(), {
    sentence: 'The hour of the day, in UTC.',
    example: 'hour(vector(1700000000))',
    answer: '{} 22',
  }),
  datePart('day_of_week', (date) => date.getUTCDay(), {
    sentence: 'The day of the week, from 0 for Sunday.',
    example: 'day_of_week(vector(1700000000))',
    answer: '{} 2',
  }),
  datePart('day_of_month', (date) => date.getUTCDate(), {
    sentence: 'The day of the month, from 1.',
    example: 'day_of_month(vector(1700000000))',
    answer: '{} 14',
  }),
  datePart('day_of_year', dayOfYear, {
    sentence: 'The day of the year, from 1.',
    example: 'day_of_year(vector(1700000000))',
    answer: '{} 318',
  }),
  datePart('days_in_month', daysInMonth, {
    sentence: 'The number of days in the month.',
    example: 'days_in_month(vector(1700000000))',
    answer: '{} 30',
  }),
  datePart('month', (date) => date.getUTCMonth() + 1, {
    sentence: 'The month of the year, from 1.',
    example: 'month(vector(1700000000))',
    answer: '{} 11',
  }),
  datePart('year', (date) => date.getUTCFullYear(), {
    sentence: 'The year.',
    example: 'year(vector(1700000000))',
    answer: '{} 2023',
  }),
  definePromql({
    name: 'pi',
    takes: [],
    returns: 'scalar',
    sentence: 'The number π.',
    example: 'pi()',
    answer: '3.141592653589793',
    evaluate: ({ frame, evaluate }) => ({
      kind: 'scalar',
      values: evaluate.context.cells.make(frame.count).fill(Math.PI),
    }),
  }),
  definePromql({
    name: 'vector',
    takes: ['scalar'],
    sentence: 'A vector of one element without labels.',
    example: 'vector(1)',
    answer: '{} 1',
    evaluate: async (asked) => scalarRow(await scalarAt(asked, 0)),
  }),
  definePromql({
    name: 'scalar',
    takes: ['vector'],
    returns: 'scalar',
    sentence: 'The value of the only element; NaN if there is none or several.',
    example: 'scalar(temperature)',
    answer: '20.5',
    evaluate: scalar,
  }),
];
