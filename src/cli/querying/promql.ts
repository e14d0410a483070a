/** `seriesdb query --promql`: evaluates an expression at one time, or at each step of a range. */

import { parseDurationMs } from '../../common/model/duration.js';
import {
  fromMilliseconds,
  milliseconds,
  toMilliseconds,
  type DatabaseTime,
} from '../../common/model/timestamp-unit.js';
import { timeFlag } from '../session/arguments.js';
import { textFlag, withUnit } from '../session/client-context.js';
import { exitCodes, UsageFailure } from '../session/failure.js';
import { promptOf, type TextSource } from '../session/source.js';
import { watch, watchFlag } from '../session/watch.js';

import { showPromql } from './promql-answer.js';
import { withPlace } from './promql-fault.js';
import { placed, scriptOf, type Script } from './script.js';

import type { PromqlTimes } from '../../client/client.js';
import type { ClientContext, Flags, TimedContext } from '../session/client-context.js';
import type { QueryFormat } from './query-form.js';

interface PromqlManner {
  readonly flags: Flags;
  readonly format: QueryFormat;
}

/** Resolves with the exit code. */
export async function askPromql(
  context: ClientContext,
  source: TextSource,
  manner: PromqlManner,
): Promise<number> {
  const { flags } = manner;
  refuseFlagsOfSeriesql(flags);
  const pauseMs = watchFlag(flags);
  if (promptOf(context.terminal, source) !== null) {
    throw new UsageFailure('--promql needs an expression, or a --file');
  }
  const script = await scriptOf(context.terminal, source);
  const { unit } = await withUnit(context);
  return watch(context, pauseMs, (round) => runPromql({ ...round, unit }, script, manner));
}

function refuseFlagsOfSeriesql(flags: Flags): void {
  if (flags['asOf'] !== undefined) {
    throw new UsageFailure('--as-of is for SeriesQL; PromQL cannot read past states');
  }
  if (flags['keepGoing'] === true) {
    throw new UsageFailure('--keep-going is for several statements; --promql takes one expression');
  }
}

/** The whole text is one expression. */
async function runPromql(
  context: TimedContext,
  script: Script,
  { flags, format }: PromqlManner,
): Promise<number> {
  const { text } = script;
  const times = timesOf(context, flags);
  try {
    await showPromql(context, { text, times }, format);
  } catch (error) {
    throw placed(withPlace(error, text), { script, start: 0, url: context.url });
  }
  return exitCodes.ok;
}

function timesOf(context: TimedContext, flags: Flags): PromqlTimes {
  const isRange = ['start', 'end', 'step'].some((name) => flags[name] !== undefined);
  if (isRange) return rangeOf(context, flags);
  const time = timeFlag(context, flags, { flag: '--time', name: 'time', fallback: undefined });
  return time === undefined ? {} : { time: secondsOf(context, time) };
}

function rangeOf(context: TimedContext, flags: Flags): PromqlTimes {
  if (flags['time'] !== undefined) {
    throw new UsageFailure('give either --time, or --start, --end and --step');
  }
  const now = fromMilliseconds(milliseconds(Date.now()), context.unit);
  const start = timeFlag(context, flags, { flag: '--start', name: 'start', fallback: null });
  const end = timeFlag(context, flags, { flag: '--end', name: 'end', fallback: now });
  return {
    start: secondsOf(context, start),
    end: secondsOf(context, end),
    step: stepOf(textFlag(flags, 'step')),
  };
}

/** PromQL times have millisecond precision. */
function secondsOf({ unit }: TimedContext, time: DatabaseTime): number {
  return Number(toMilliseconds(time, unit)) / 1000;
}

/** Returns seconds. */
function stepOf(text: string | undefined): number {
  if (text === undefined) throw new UsageFailure('a range needs a --step, such as 1m');
  const stepMs = parseDurationMs(text);
  if (stepMs !== null && stepMs > 0) return stepMs / 1000;
  throw new UsageFailure(`--step must be a duration like 15s, 5m or 1h, not "${text}"`);
}
