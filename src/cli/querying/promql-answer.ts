/** Prints the answer of a PromQL expression in the requested format. */

import { fromMilliseconds } from '../../common/model/timestamp-unit.js';
import { csvText } from '../../common/model/csv-text.js';
import { printTime } from '../../common/model/iso-time.js';
import { printChart } from '../charting/chart.js';
import { printJson, type ClientContext, type TimedContext } from '../session/client-context.js';
import { CommandFailure } from '../session/failure.js';
import { writeLong } from '../session/long-text.js';

import { whyNoSeries } from './no-series.js';
import { cellsOf, labelKeys, linesOf, rowsOf, valueText } from './promql-rows.js';
import { printAnswerTable } from './promql-table.js';

import type { PromqlAnswer, PromqlTimes } from '../../client/client.js';
import type { QueryFormat } from './query-form.js';

interface CliPromqlQuestion {
  readonly text: string;
  readonly times: PromqlTimes;
}

/** Formats without a place for warnings and infos print them to standard error. */
export async function showPromql(
  context: TimedContext,
  question: CliPromqlQuestion,
  format: QueryFormat,
): Promise<void> {
  if (format === 'json') return showJson(context, question);
  const { client, signal, terminal } = context;
  const { text, times } = question;
  const answer = await client.promql(text, times, { signal });
  if (format !== 'csv' && format !== 'ndjson' && isEmpty(answer)) {
    terminal.writeError(`${await whyNoSeries(context, question)}\n`);
  } else if (format === 'chart') terminal.write(chartOf(context, answer, times));
  else await writeLong(context, printers[format](context, answer));
  for (const note of [...answer.warnings, ...answer.infos]) terminal.writeError(`${note}\n`);
}

function isEmpty({ resultType, result }: PromqlAnswer): boolean {
  return (resultType === 'vector' || resultType === 'matrix') && result.length === 0;
}

async function showJson(context: ClientContext, { text, times }: CliPromqlQuestion): Promise<void> {
  const { client, signal, terminal } = context;
  const decoder = new TextDecoder();
  for await (const piece of client.streamPromql(text, times, { signal })) {
    await writeLong(context, decoder.decode(piece, { stream: true }));
  }
  terminal.write('\n');
}

type Printer = (context: TimedContext, answer: PromqlAnswer) => string;

const printers: Readonly<Record<'table' | 'csv' | 'ndjson', Printer>> = {
  table: ({ terminal }, answer) => printAnswerTable(answer, terminal.width()),
  csv: ({ unit }, answer) => {
    const keys = labelKeys(answer);
    const hasTimes = answer.resultType === 'matrix';
    const head = [...keys, ...(hasTimes ? ['time'] : []), 'value'].map(csvText);
    const lines = rowsOf(answer).map((row) => [
      ...cellsOf(row, keys).map((cell) => (cell === null ? '' : csvText(cell))),
      ...(hasTimes ? [String(fromMilliseconds(row.timeMs, unit))] : []),
      typeof row.value === 'string' ? csvText(row.value) : valueText(row.value),
    ]);
    return [head, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
  },
  ndjson: ({ unit }, answer) =>
    rowsOf(answer)
      .map(({ metric, timeMs, value }) => {
        const time = fromMilliseconds(timeMs, unit);
        const isJson = typeof value === 'string' || Number.isFinite(value);
        return printJson({ metric, time, value: isJson ? value : valueText(value) });
      })
      .join(''),
};

/** Throws CommandFailure if the answer has no values over time. */
function chartOf({ terminal }: ClientContext, answer: PromqlAnswer, times: PromqlTimes): string {
  if (answer.resultType !== 'matrix') {
    throw new CommandFailure('a chart needs values over time: give --start, --end and --step');
  }
  const stepMs = 'step' in times ? Number(times.step) * 1000 : Infinity;
  const timeText = (time: number): string => printTime(BigInt(time), 'ms') || String(time);
  return printChart(linesOf(answer.result, stepMs), { width: terminal.width(), timeText });
}
