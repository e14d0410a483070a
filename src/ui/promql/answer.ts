/** The answer of an expression, as a table and as lines. */

import { counted } from '../ask/counted.js';
import { drawnOf, type ResultLines } from '../ask/result-lines.js';
import { perSecond, tsOfMs, type TimeUnit } from '../zone.js';

import type { PromqlAnswer, PromqlPoint, QueryColumn, QueryValue } from '../../client/client.js';

type AnswerLabels = Readonly<Record<string, string>>;

interface AnswerSeries {
  readonly labels: AnswerLabels;
  readonly timesMs: readonly number[];
  readonly values: readonly number[];
}

export interface PromqlView {
  /** One row per series. */
  readonly table: {
    readonly columns: readonly QueryColumn[];
    readonly rows: readonly (readonly QueryValue[])[];
  };
  /** The kind of the rows; a number or a text is one row. */
  readonly kind: 'series' | 'number' | 'text';
  /** Empty for an instant query, which has nothing to draw. */
  readonly series: readonly AnswerSeries[];
  readonly points: number;
  readonly warnings: readonly string[];
  readonly infos: readonly string[];
}

export function readAnswer(answer: PromqlAnswer): PromqlView {
  const { warnings, infos } = answer;
  const told = { warnings, infos };
  if (answer.resultType === 'matrix') {
    const series = answer.result.map(({ metric, values }) => seriesOf(metric, values));
    const points = series.reduce((sum, { values }) => sum + values.length, 0);
    return { table: seriesTable(series), kind: 'series', series, points, ...told };
  }
  const none = { series: [], ...told };
  if (answer.resultType === 'vector') {
    const rows = answer.result.map(({ metric, value }) => ({
      ...{ labels: metric, figures: [value[1]] },
    }));
    const table = tableOf(rows, [columnOf('value', 'float')]);
    return { table, kind: 'series', points: rows.length, ...none };
  }
  const [, value] = answer.result;
  const isText = answer.resultType === 'string';
  const columns = [columnOf('value', isText ? 'string' : 'float')];
  const table = { columns, rows: [[value]] };
  return { table, kind: isText ? 'text' : 'number', points: 1, ...none };
}

/** `3 series`, or the kind of a single value. */
export const countedAnswer = ({ kind, table }: Pick<PromqlView, 'kind' | 'table'>): string =>
  kind === 'series' ? counted(table.rows.length, 'series') : `a ${kind}`;

const columnOf = (name: string, type: 'string' | 'float' | 'integer'): QueryColumn => ({
  ...{ name, type, nullable: type === 'string' },
});

const seriesOf = (labels: AnswerLabels, points: readonly PromqlPoint[]): AnswerSeries => ({
  labels,
  timesMs: points.map(([seconds]) => Math.round(seconds * 1000)),
  values: points.map(([, value]) => value),
});

interface LabelledRow {
  readonly labels: AnswerLabels;
  readonly figures: readonly QueryValue[];
}

/** The metric name first, then the labels in alphabetical order. */
export function labelKeys(all: readonly AnswerLabels[]): readonly string[] {
  const names = [...new Set(all.flatMap((labels) => Object.keys(labels)))].sort();
  return [...names.filter((name) => name === kName), ...names.filter((name) => name !== kName)];
}

/** One column per label. */
function tableOf(
  rows: readonly LabelledRow[],
  figures: readonly QueryColumn[],
): PromqlView['table'] {
  const keys = labelKeys(rows.map(({ labels }) => labels));
  return {
    columns: [...keys.map((name) => columnOf(name, 'string')), ...figures],
    rows: rows.map((row) => [...keys.map((key) => row.labels[key] ?? null), ...row.figures]),
  };
}

const kName = '__name__';

function seriesTable(series: readonly AnswerSeries[]): PromqlView['table'] {
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

interface AnswerDrawing {
  readonly unit: TimeUnit;
  readonly startMs: number;
  readonly endMs: number;
  /** Seconds between two values; null: raw samples. */
  readonly stepSeconds: number | null;
}

const kGapSteps = 1.5;

/** Lines over the whole requested range, or a sentence that says why there are none. */
export function linesOf(
  series: readonly AnswerSeries[],
  drawing: AnswerDrawing,
): ResultLines | string {
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
