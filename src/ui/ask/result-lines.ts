/** An answer as lines over time: one for each numeric column and combination of texts. */

import { flat, gapOf, type ChartLine } from '../chart/lines.js';
import { folded } from '../chart/thinned.js';

import type { QueryColumn, QueryResult, QueryValue } from '../../client/client.js';
import type { RankedSeries } from '../chart/picture.js';
import type { TimeStretch } from '../chart/time-scale.js';

export interface ResultLines {
  readonly ranked: readonly RankedSeries[];
  readonly lines: ReadonlyMap<string, ChartLine>;
  /** From the first time to the last. */
  readonly window: TimeStretch;
  /** True if every number is a duration. */
  readonly areDurations: boolean;
  /** The number of values that share line and time with another value. */
  readonly sharing: number;
}

interface Named {
  readonly name: string;
  readonly at: number;
}

interface ResultRoles {
  readonly time: number;
  readonly values: readonly Named[];
  readonly labels: readonly Named[];
  readonly areDurations: boolean;
}

/** The lines, or a sentence that says why there is no chart. */
export function linesOf({ columns, rows }: QueryResult): ResultLines | string {
  if (rows.length === 0) return 'Nothing to draw: the answer has no rows.';
  const roles = rolesOf(columns);
  if (typeof roles === 'string') return roles;
  const timed = rows.filter((row) => typeof row[roles.time] === 'bigint');
  const times = timed.map((row) => row[roles.time] as bigint);
  const [first] = times;
  if (first === undefined) return 'A chart needs times: the time column is empty.';
  const start = times.reduce((least, ts) => (ts < least ? ts : least), first);
  const end = times.reduce((most, ts) => (ts > most ? ts : most), first);
  const found = new Collector(roles, start);
  for (const row of timed) found.add(row);
  const { areDurations } = roles;
  const drawn = found.finish();
  if (drawn.ranked.length === 0)
    return 'A chart needs numbers: no row has both a number and a time.';
  return { ...drawn, window: { start, end }, areDurations };
}

function rolesOf(columns: readonly QueryColumn[]): ResultRoles | string {
  const named = columns.map(({ name }, at) => ({ name, at }));
  const ofType = (...types: readonly string[]): readonly Named[] =>
    named.filter(({ at }) => types.includes(columns[at]?.type ?? ''));
  const isId = ({ name }: Named): boolean => name === 'series_id';
  const [time] = ofType('timestamp');
  const numbers = ofType('float', 'integer', 'duration').filter((one) => !isId(one));
  if (time === undefined)
    return 'A chart needs a column of times: select time, or time_bucket(:width, time) as t.';
  if (numbers.length === 0)
    return 'A chart needs a column of numbers beside the time: select value, or avg(value).';
  return {
    time: time.at,
    values: numbers,
    labels: [...ofType('string'), ...named.filter(isId)],
    areDurations: ofType('duration').length === numbers.length,
  };
}

interface ResultPoints {
  readonly labels: Readonly<Record<string, string>>;
  readonly xs: number[];
  readonly values: number[];
}

/** Sorts rows of any order into lines. */
class Collector {
  readonly #roles: ResultRoles;
  readonly #origin: bigint;
  readonly #points = new Map<string, ResultPoints>();

  constructor(roles: ResultRoles, origin: bigint) {
    this.#roles = roles;
    this.#origin = origin;
  }

  add(row: readonly QueryValue[]): void {
    const { time, values, labels } = this.#roles;
    const x = Number((row[time] as bigint) - this.#origin);
    const texts = labels.map(({ name, at }) => [name, labelText(row[at] ?? null)] as const);
    for (const { name, at } of values) {
      const value = row[at] ?? null;
      if (value === null) continue;
      const key = JSON.stringify([...texts.map(([, text]) => text), name]);
      const known = this.#points.get(key);
      const points = known ?? pointsOf([...texts, ['column', name]]);
      if (known === undefined) this.#points.set(key, points);
      points.xs.push(x);
      points.values.push(Number(value));
    }
  }

  finish(): Pick<ResultLines, 'ranked' | 'lines' | 'sharing'> {
    const found = [...this.#points].map(([id, points]) => drawnOf(id, points));
    const sum = (counts: readonly number[]): number => counts.reduce((one, two) => one + two, 0);
    return {
      ranked: found.map(({ ranked }) => ranked),
      lines: new Map(found.map(({ line }) => [line.id, line])),
      sharing: sum(found.map(({ ranked, line }) => ranked.n - line.xs.length)),
    };
  }
}

const pointsOf = (labels: readonly (readonly [string, string])[]): ResultPoints => ({
  ...{ labels: Object.fromEntries(labels), xs: [], values: [] },
});

const labelText = (value: QueryValue): string => (value === null ? '∅' : String(value));

/** The points in time order; values of one time become their mean, minimum and maximum. */
export function drawnOf(
  id: string,
  { labels, xs, values }: ResultPoints,
): { readonly ranked: RankedSeries; readonly line: ChartLine } {
  const order = xs.map((_, at) => at).sort((one, two) => (xs[one] ?? 0) - (xs[two] ?? 0));
  const sorted = { xs: order.map((at) => xs[at] ?? 0), values: order.map((at) => values[at] ?? 0) };
  const all = { id, xs: Float64Array.from(sorted.xs), ...flat(Float64Array.from(sorted.values)) };
  const four = folded(all, (x) => x);
  const known = sorted.values.filter(Number.isFinite);
  const figure = (of: (one: number, two: number) => number): number | null =>
    known.length === 0 ? null : known.reduce((one, two) => of(one, two));
  const sum = figure((one, two) => one + two);
  return {
    line: { ...four, gapTicks: gapOf(four.xs, { widthTicks: null, samples: xs.length }) },
    ranked: {
      ...{ id, key: id, labels, n: xs.length, interval: 0 },
      ...{ lo: figure(Math.min), hi: figure(Math.max), latest: known.at(-1) ?? null },
      mean: sum === null ? null : sum / known.length,
    },
  };
}
