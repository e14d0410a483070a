/** `seriesdb query range`: the samples of one series. */

import { printTime } from '../../common/model/iso-time.js';
import { kFirstTime, kLastTime } from '../../common/model/timestamp-unit.js';
import { selectorOf, timeFlag } from '../session/arguments.js';
import { printJson, type TimedContext, type Flags } from '../session/client-context.js';
import { exitCodes } from '../session/failure.js';
import { cut, kColumnMin } from '../session/fit.js';
import { whyNoSamples } from './no-samples.js';
import { printTable, shown, type Cell, type PrintedColumn } from '../session/table.js';

import type { Sample } from '../../client/client.js';

/** The most rows that are measured for column widths; longer tables have fixed widths. */
const measuredRowsMax = 1000;

const columns: readonly PrintedColumn[] = [
  { name: 'ts', isNumber: true },
  { name: 'time' },
  { name: 'value', isNumber: true },
];

const head: readonly Cell[] = columns.map(({ name }) => name.toUpperCase());

/** Wide enough for any 64-bit integer, any time and any double. */
const widths = { ts: 20, time: 30, value: 24 };

/** On a narrow screen times are cut, as in a measured table. */
function fixedLines(rows: readonly (readonly Cell[])[], width: number | null): string {
  const room = (width ?? Infinity) - widths.ts - widths.value - 4;
  const most = Math.min(widths.time, Math.max(kColumnMin, room));
  return rows
    .map(([ts, time, value]) => {
      const middle = cut(shown(time), most).padEnd(most);
      return `${shown(ts).padStart(widths.ts)}  ${middle}  ${shown(value).padStart(widths.value)}\n`;
    })
    .join('');
}

export async function queryRange(
  context: TimedContext,
  metric: string | undefined,
  flags: Flags,
): Promise<number> {
  const selector = selectorOf(metric, flags);
  const query = {
    ...selector,
    start: timeFlag(context, flags, { flag: '--start', name: 'start', fallback: kFirstTime }),
    end: timeFlag(context, flags, { flag: '--end', name: 'end', fallback: kLastTime }),
  };
  const { client, signal } = context;
  const batches = client.streamRange(query, { signal });
  const count = await (context.isJson ? writeJson : writeTable)(context, batches);
  if (count === 0) context.terminal.writeError(`${await whyNoSamples(context, selector)}\n`);
  return exitCodes.ok;
}

/** Resolves with the number of samples. */
async function writeJson(context: TimedContext, batches: AsyncIterable<Sample[]>): Promise<number> {
  let before = '[';
  let count = 0;
  for await (const samples of batches) {
    const text = printJson(samples).trimEnd().slice(1, -1);
    context.terminal.write(before + text);
    await context.terminal.drained();
    before = ',';
    count += samples.length;
  }
  context.terminal.write(before === '[' ? '[]\n' : ']\n');
  return count;
}

/** Resolves with the number of samples. */
async function writeTable(
  context: TimedContext,
  batches: AsyncIterable<Sample[]>,
): Promise<number> {
  const { terminal, unit } = context;
  let measured: Cell[][] = [];
  let count = 0;
  for await (const samples of batches) {
    const rows = samples.map(({ ts, value }) => [ts, printTime(ts, unit), value]);
    const wasShort = count <= measuredRowsMax;
    count += rows.length;
    if (count <= measuredRowsMax) {
      measured.push(...rows);
      continue;
    }
    terminal.write(fixedLines(wasShort ? [head, ...measured, ...rows] : rows, terminal.width()));
    measured = [];
    await terminal.drained();
  }
  if (measured.length > 0) {
    terminal.write(printTable(columns, measured, { width: terminal.width() }));
  }
  return count;
}
