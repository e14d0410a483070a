/**
 * Draws lines over time as text. A few lines get a chart each. Many lines, short lines, or a narrow
 * screen get one row of bars per line.
 */

import { visible } from '../../common/model/visible-text.js';
import { printTable } from '../session/table.js';

import { extentOf, shortNumber, type ValueExtent, type DottedLine } from './line.js';
import { plot } from './plot.js';
import { sparkline } from './sparkline.js';

interface Sheet {
  /** Width of the screen; null for other outputs. */
  readonly width: number | null;
  /** A time for people. */
  readonly timeText: (time: number) => string;
}

/** The most charts that fit a screen. */
const kPlotsMax = 4;
const kPlotPointsMin = 8;
const kPlotColumnsMin = 40;
const kLoneRows = 12;
const kRows = 6;
const kLinesMax = 100;
const kBarsMin = 4;

/** The width of a classic terminal, for outputs without a known width. */
const kColumns = 80;

const columnsOf = ({ width }: Sheet): number => width ?? kColumns;

export function printChart(lines: readonly DottedLine[], sheet: Sheet): string {
  const times = extentOf(lines.flatMap(({ points }) => points.map(({ time }) => time)));
  if (times === null) return '';
  const longest = Math.max(...lines.map(({ points }) => points.length));
  const isPlotted =
    lines.length <= kPlotsMax && longest >= kPlotPointsMin && columnsOf(sheet) >= kPlotColumnsMin;
  const text = isPlotted ? plots(lines, times, sheet) : sparklines(lines, times, sheet);
  const more = lines.length - kLinesMax;
  return more > 0 && !isPlotted ? `${text}and ${more} more lines\n` : text;
}

function plots(lines: readonly DottedLine[], times: ValueExtent, sheet: Sheet): string {
  const columns = columnsOf(sheet);
  const rows = lines.length === 1 ? kLoneRows : kRows;
  return lines
    .map((line) => {
      const drawn = plot(line, times, { columns, rows });
      const margin = (drawn[0] ?? '').search(/[┤│]/) + 1;
      const ends = [sheet.timeText(times.least), sheet.timeText(times.greatest)] as const;
      const gap = columns - margin - ends[0].length - ends[1].length;
      const axis = gap < 2 ? ends.join(' … ') : ends[0] + ' '.repeat(gap) + ends[1];
      const text = drawn.length === 0 ? ['  no values'] : [...drawn, ' '.repeat(margin) + axis];
      return [visible(line.name), ...text].map((one) => `${one}\n`).join('');
    })
    .join('\n');
}

function sparklines(lines: readonly DottedLine[], times: ValueExtent, sheet: Sheet): string {
  const shown = lines.slice(0, kLinesMax);
  const longest = Math.max(...shown.map(({ points }) => points.length));
  const facts = shown.map((line) => {
    const values = line.points.map(({ value }) => value).filter((value) => value !== null);
    const extent = extentOf(values);
    const last = values.at(-1);
    const numbers = extent === null ? [] : [extent.least, extent.greatest, last ?? 0];
    return [visible(line.name), ...numbers.map(shortNumber)];
  });
  // The text beside the bars gets its space first, with two blanks between columns.
  const beside = [0, 1, 2, 3].map((at) => Math.max(4, ...facts.map((row) => row[at]?.length ?? 1)));
  const room = columnsOf(sheet) - beside.reduce((sum, width) => sum + width + 2, 0);
  const width = Math.min(longest, Math.max(room, kBarsMin));
  const rows = facts.map(([name, ...numbers], at) => {
    const line = shown[at];
    return [name, line === undefined ? '' : sparkline(line, times, width), ...numbers];
  });
  const heads = ['line', 'values', 'min', 'max', 'last'];
  const table = printTable(
    heads.map((name, at) => ({ name, isNumber: at > 1 })),
    rows,
    // Only the text before the bars is cut, not the bars.
    { width: sheet.width },
  );
  return `${table}${sheet.timeText(times.least)} … ${sheet.timeText(times.greatest)}\n`;
}
