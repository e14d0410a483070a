/** `seriesdb compare`: an aggregate over two windows of one series. */

import type { Command } from 'commander';

import { printTime } from '../../common/model/iso-time.js';
import { aggregates, type CompareResult, type CompareWindow } from '../../client/client.js';

import {
  addSelectorFlags,
  addTimes,
  durationFlag,
  selectorOf,
  timeFlag,
} from '../session/arguments.js';
import { finishTimed } from '../session/client-command.js';
import { printJson, textFlag, type TimedContext, type Flags } from '../session/client-context.js';
import { UsageFailure, exitCodes } from '../session/failure.js';
import { printFacts, printLabels, printTable } from '../session/table.js';

import type { Session } from '../session/command.js';

export function addCompare(program: Command, session: Session): void {
  const command = program
    .command('compare')
    .description('compare an aggregate of one series over two time windows')
    .option('--aggregate <name>', 'last, avg, sum, min, max, count or delta', 'avg')
    .option('--offset <duration>', 'the baseline is the same window, this much earlier')
    .option('--baseline-start <time>', 'start of the baseline, without --offset')
    .option('--baseline-end <time>', 'end of the baseline, without --offset');
  addTimes(addSelectorFlags(command));
  finishTimed(command, session, (context, flags, [metric]) => compare(context, metric, flags));
}

async function compare(
  context: TimedContext,
  metric: string | undefined,
  flags: Flags,
): Promise<number> {
  const selector = selectorOf(metric, flags);
  const wanted = textFlag(flags, 'aggregate') ?? 'avg';
  const aggregate = aggregates.find((one) => one === wanted);
  if (aggregate === undefined) {
    throw new UsageFailure(`--aggregate must be one of ${aggregates.join(', ')}`);
  }
  const start = timeFlag(context, flags, { flag: '--start', name: 'start', fallback: null });
  const end = timeFlag(context, flags, { flag: '--end', name: 'end', fallback: null });
  const baseline = baselineOf(context, flags, { start, end });
  const query = { ...selector, start, end, ...baseline, aggregate };
  const result = await context.client.compare(query, { signal: context.signal });
  context.terminal.write(context.isJson ? printJson(result) : drawn(context, result));
  return exitCodes.ok;
}

function baselineOf(
  context: TimedContext,
  flags: Flags,
  current: { readonly start: bigint; readonly end: bigint },
): { baseline_start: bigint; baseline_end: bigint } {
  const offset = textFlag(flags, 'offset');
  if (offset !== undefined) {
    const distance = durationFlag(context, offset, '--offset');
    return { baseline_start: current.start - distance, baseline_end: current.end - distance };
  }
  if (textFlag(flags, 'baselineStart') === undefined) {
    throw new UsageFailure('--offset is required, or --baseline-start and --baseline-end');
  }
  const start = { flag: '--baseline-start', name: 'baselineStart', fallback: null };
  const end = { flag: '--baseline-end', name: 'baselineEnd', fallback: null };
  return {
    baseline_start: timeFlag(context, flags, start),
    baseline_end: timeFlag(context, flags, end),
  };
}

/**
 * The change in percent of the baseline's absolute value. With a negative baseline, `change_pct`
 * falls when the value rises.
 */
function percentOf({ change_pct: percent, baseline }: CompareResult): number | null {
  return percent === null || (baseline.value ?? 0) >= 0 ? percent : -percent;
}

function drawn(context: TimedContext, result: CompareResult): string {
  const row = (name: string, { start, end, samples, value }: CompareWindow) => {
    const times = [printTime(start, context.unit), printTime(end, context.unit)];
    return [name, ...times, samples, value];
  };
  const columns = ['window', 'from', 'to', 'samples', result.aggregate];
  const percent = percentOf(result);
  const facts = printFacts([
    ['series', `${result.metric ?? String(result.series_id)} ${printLabels(result.labels)}`.trim()],
    ['kind', result.metric_kind],
    ['change', result.change_abs],
    ['change %', percent === null ? null : percent.toFixed(2)],
  ]);
  const windows = printTable(
    columns.map((name, at) => ({ name, isNumber: at >= 3 })),
    [row('current', result.current), row('baseline', result.baseline)],
    { width: context.terminal.width() },
  );
  return `${windows}\n${facts}`;
}
