/** The answer of an expression, as a table and as lines. */

import { drawnOf, type ResultLines } from '../ask/result-lines.js';
import { perSecond, tsOfMs, type TimeUnit } from '../zone.js';

import type { PromqlAnswer, PromqlPoint, QueryColumn, QueryValue } from '../../client/client.js';

type Labels = Readonly<Record<string, string>>;

interface Series {
  readonly labels: Labels;
  readonly timesMs: readonly number[];
  readonly values: readonly number[];
}

export interface Answer {
  /** One row per series. */
  readonly table: {
    readonly columns: readonly QueryColumn[];
    readonly rows: readonly (readonly QueryValue[])[];
  };
  /** Empty for an instant query, which has nothing to draw. */
  readonly series: readonly Series[];
  readonly points: number;
  readonly warnings: readonly string[];
  readonly infos: readonly string[];
}

export function readAnswer(answer: PromqlAnswer): Answer {
  const { warnings, infos } = answer;
  const told = { warnings, infos };
  if (answer.resultType === 'matrix') {
    const series = answer.result.map(({ metric, values }) => seriesOf(metric, values));
    const points = series.reduce((sum, { values }) => sum + values.length, 0);
    return { table: seriesTable(series), series, points, ...told };
  }
  const none = { series: [], ...told };
  if (answer.resultType === 'vector') {
    const rows = answer.result.map(({ metric, value }) => ({
      ...{ labels: metric, figures: [value[1]] },
    }));
    return { table: tableOf(rows, [columnOf('value', 'float')]), points: rows.length, ...none };
  }
  const [, value] = answer.result;
  const columns = [columnOf('value', answer.resultType === 'string' ? 'string' : 'float')];
  return { table: { columns, rows: [[value]] }, points: 1, ...none };
}

const columnOf = (name: string, type: 'string' | 'float' | 'integer'): QueryColumn => ({
  ...{ name, type, nullable: type === 'string' },
});

const seriesOf = (labels: Labels, points: readonly PromqlPoint[]): Series => ({
  labels,
  timesMs: points.map(([seconds]) => Math.round(seconds * 1000)),
  values: points.map(([, value]) => value),
});

interface LabelledRow {
  readonly labels: Labels;
  readonly figures: readonly QueryValue[];
}

/** The metric name first, then the labels in alphabetical order. */
export function labelKeys(all: readonly Labels[]): readonly string[] {
  const names = [...new Set(all.flatMap((labels) => Object.keys(labels)))].sort();
  return [...names.filter((name) => name === kName), ...names.filter((name) => name !== kName)];
}

/** One column per label. */
function tableOf(rows: readonly LabelledRow[], figures: readonly QueryColumn[]): Answer['table'] {
  const keys = labelKeys(rows.map(({ labels }) => labels));
  return {
    columns: [...keys.map((name) => columnOf(name, 'string')), ...figures],
    rows: rows.map((row) => [...keys.map((key) => row.labels[key] ?? null), ...row.figures]),
  };
}

const kName = '__name__';

function seriesTable(series: readonly Series[]): Answer['table'] {
  const figures = ['last', 'lowest', 'mean', 'highest'].map((name) => columnOf(name, 'float'));
  const rows = series.map(({ labels, values }) => ({
    labels,
    figures: [...figuresOf(values), BigInt(values.length)],
  }));
  return tableOf(rows, [...figures, columnOf('points', 'integer')]);
}

function figuresOf(values: readonly number[]): readonly QueryValue[] {
  const known = values.filter((value) => !Number.isNaN(value));
  const last = values.at(-1) ?? null;
  if (known.length === 0) return [last, null, null, null];
  const of = (pick: (one: number, two: number) => number): number => known.reduce(pick);
  const mean = of((one, two) => one + two) / known.length;
  return [last, of((one, two) => Math.min(one, two)), mean, of((one, two) => Math.max(one, two))];
}

interface Drawing {
  readonly unit: TimeUnit;
  readonly startMs: number;
  readonly endMs: number;
  /** Seconds between two values; null: raw samples. */
  readonly stepSeconds: number | null;
}

const kGapSteps = 1.5;

/** Lines over the whole requested range, or a sentence that says why there are none. */
export function linesOf(series: readonly Series[], drawing: Drawing): ResultLines | string {
  if (series.length === 0) return 'Nothing to draw: no series has a value in this range.';
  const { unit, startMs, endMs, stepSeconds } = drawing;
  const perMs = Number(perSecond(unit)) / 1000;
  const gap = stepSeconds === null ? null : stepSeconds * 1000 * perMs * kGapSteps;
  const drawn = series.map(({ labels, timesMs, values }) => {
    const xs = timesMs.map((ms) => (ms - startMs) * perMs);
    const { line, ranked } = drawnOf(JSON.stringify(labels), { labels, xs, values: [...values] });
    return { ranked, line: gap === null ? line : { ...line, gapTicks: gap } };
  });
  return {
    ranked: drawn.map(({ ranked }) => ranked),
    lines: new Map(drawn.map(({ line }) => [line.id, line])),
    window: { start: tsOfMs(startMs, unit), end: tsOfMs(endMs, unit) },
    ...{ areDurations: false, sharing: 0 },
  };
}
