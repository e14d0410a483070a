/** Converts PromQL answers into rows, and into lines to draw. */

import type { PromqlAnswer, PromqlPoint, PromqlSeries } from '../../client/client.js';
import type { Milliseconds } from '../../common/model/timestamp-unit.js';
import type { DottedLine, DottedPoint } from '../charting/line.js';

interface PromqlRow {
  readonly metric: PromqlSeries['metric'];
  readonly timeMs: Milliseconds;
  readonly value: number | string;
}

export function timeMsOf([seconds]: readonly [number, unknown]): Milliseconds {
  return Math.round(seconds * 1000) as Milliseconds;
}

/** One row per value. */
export function rowsOf(answer: PromqlAnswer): readonly PromqlRow[] {
  const rowOf = (
    metric: PromqlRow['metric'],
    point: readonly [number, PromqlRow['value']],
  ): PromqlRow => ({
    ...{ metric, timeMs: timeMsOf(point), value: point[1] },
  });
  switch (answer.resultType) {
    case 'vector':
      return answer.result.map(({ metric, value }) => rowOf(metric, value));
    case 'matrix':
      return answer.result.flatMap(({ metric, values }) =>
        values.map((point) => rowOf(metric, point)),
      );
    default:
      return [rowOf({}, answer.result)];
  }
}

/** The label keys of all series, the metric name first. */
export function labelKeys({ result, resultType }: PromqlAnswer): readonly string[] {
  if (resultType === 'scalar' || resultType === 'string') return [];
  const series: readonly Pick<PromqlSeries, 'metric'>[] = result;
  const keys = new Set(series.flatMap(({ metric }) => Object.keys(metric)));
  const hasName = keys.delete('__name__');
  return [...(hasName ? ['__name__'] : []), ...[...keys].sort()];
}

/** Null if the series lacks the label. */
export function cellsOf(
  { metric }: PromqlRow,
  keys: readonly string[],
): readonly (string | null)[] {
  return keys.map((key) => (Object.hasOwn(metric, key) ? (metric[key] ?? null) : null));
}

/** NaN and infinities as Prometheus writes them. */
export function valueText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  return String(value).replace(/^(-?)Infinity$/, (_, sign: string) => `${sign || '+'}Inf`);
}

const plainName = /^[A-Za-z_:][\w:]*$/;
const plainKey = /^[A-Za-z_]\w*$/;

/** A selector of the series: `up{job="a"}`. */
export function seriesText({ __name__: name = '', ...labels }: PromqlSeries['metric']): string {
  const pairs = Object.entries(labels)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([key, value]) =>
        `${plainKey.test(key) ? key : JSON.stringify(key)}=${JSON.stringify(value)}`,
    );
  const isPlain = plainName.test(name);
  if (isPlain && pairs.length === 0) return name;
  const parts = isPlain || name === '' ? pairs : [JSON.stringify(name), ...pairs];
  return `${isPlain ? name : ''}{${parts.join(', ')}}`;
}

/** Adds a gap if a series has no value for more than 1.5 steps. */
export function linesOf(series: readonly PromqlSeries[], stepMs: number): readonly DottedLine[] {
  return series.map(({ metric, values }) => {
    const points: DottedPoint[] = [];
    for (const value of values) {
      const before = points.at(-1)?.time ?? Infinity;
      const time = timeMsOf(value);
      if (time - before > stepMs * 1.5) points.push({ time: before + stepMs, value: null });
      points.push({ time, value: drawnValue(value) });
    }
    return { name: seriesText(metric), points };
  });
}

function drawnValue([, value]: PromqlPoint): number | null {
  return Number.isFinite(value) ? value : null;
}
