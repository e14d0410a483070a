/** Prints a PromQL answer as a table: one column per label, or per series over time. */

import { printTime } from '../../common/model/iso-time.js';
import { kGap } from '../session/fit.js';
import { printTable, type Cell } from '../session/table.js';

import { cellsOf, labelKeys, rowsOf, seriesText, timeMsOf, valueText } from './promql-rows.js';

import type { PromqlAnswer, PromqlSeries } from '../../client/client.js';

/** The most series shown side by side. */
const kSideBySideMax = 8;
const kTimeWidth = 24;

/** `width` is the width of the screen; null: unlimited. */
export function printAnswerTable(answer: PromqlAnswer, width: number | null): string {
  if (answer.resultType !== 'matrix') return longTable(answer, width);
  const heads = answer.result.map(({ metric }) => seriesText(metric));
  const whole = heads.reduce((sum, head) => sum + head.length + kGap, kTimeWidth);
  const isWide = heads.length <= kSideBySideMax && whole <= (width ?? Infinity);
  return isWide ? wideTable(answer.result, heads) : longTable(answer, width);
}

function longTable(answer: PromqlAnswer, width: number | null): string {
  const keys = labelKeys(answer);
  const hasTimes = answer.resultType === 'matrix';
  const isNumber = answer.resultType !== 'string';
  const columns = [
    ...keys.map((name) => ({ name })),
    ...(hasTimes ? [{ name: 'time' }] : []),
    { name: 'value', isNumber },
  ];
  const rows = rowsOf(answer).map((row) => [
    ...cellsOf(row, keys),
    ...(hasTimes ? [timeText(row.timeMs)] : []),
    typeof row.value === 'string' ? row.value : valueText(row.value),
  ]);
  return printTable(columns, rows, { width });
}

/** The heads keep their case, unlike other tables. */
function wideTable(series: readonly PromqlSeries[], heads: readonly string[]): string {
  const rows = new Map<number, Cell[]>();
  for (const [at, { values }] of series.entries()) {
    for (const point of values) {
      const timeMs = timeMsOf(point);
      const row = rows.get(timeMs) ?? [timeText(timeMs), ...heads.map(() => null)];
      rows.set(timeMs, row);
      row[at + 1] = valueText(point[1]);
    }
  }
  const sorted = [...rows].sort(([one], [other]) => one - other).map(([, row]) => row);
  const columns = [{ name: 'time' }, ...heads.map((name) => ({ name, isNumber: true }))];
  return printTable(columns, [['TIME', ...heads], ...sorted], { hasHead: false, width: null });
}

function timeText(timeMs: number): string {
  return printTime(BigInt(timeMs), 'ms') || String(timeMs);
}
