/** Parsers of shared arguments. */

import { fromMilliseconds, type DatabaseTime } from '../../common/model/timestamp-unit.js';
import { InvalidArgumentError, type Command, type Option } from 'commander';

import { parseDurationMs } from '../../common/model/duration.js';
import { parseU64 } from '../../common/model/integers.js';

import { textFlag, type TimedContext, type Flags } from './client-context.js';
import { UsageFailure } from './failure.js';
import { parseTime, timeForms } from '../../common/model/time-text.js';

import type { LabelOp, Labels, SeriesSelector } from '../../client/client.js';

type ArgumentPairs = readonly (readonly [string, string])[];

function readPair(text: string, before: ArgumentPairs): ArgumentPairs {
  const mark = text.indexOf('=');
  if (mark <= 0) throw new InvalidArgumentError('It must be key=value.');
  return [...before, [text.slice(0, mark), text.slice(mark + 1)]];
}

export function addLabelFlag(command: Command): Command {
  return command.option('-l, --label <key=value>', 'a label; repeatable', readPair, []);
}

/**
 * Adds a required option. Unlike requiredOption(), it reports a misspelt option such as `--as-fo`
 * first, with the probable name, and a missing option only after that.
 */
export function needOption(command: Command, option: Option): Command {
  const { flags } = option;
  const name = option.attributeName();
  return command.addOption(option).hook('preAction', (_, acting) => {
    if (acting.getOptionValue(name) === undefined) {
      acting.error(`error: required option '${flags}' not specified`);
    }
  });
}

export function addOpFlag(command: Command): Command {
  return command.option('--op <and|or>', 'how several labels combine', readOp);
}

function readOp(text: string): LabelOp {
  if (text === 'and' || text === 'or') return text;
  throw new InvalidArgumentError('It must be and, or or.');
}

export function addLimitFlag(command: Command): Command {
  return command.option('--limit <count>', 'maximum number of results', readLimit);
}

function readLimit(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be an integer of at least 0.');
}

/** The labels, or undefined if none was given. */
export function labelsOf(flags: Flags): Labels | undefined {
  const pairs = (flags['label'] ?? []) as ArgumentPairs;
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** The given members of a request. */
export function filterOf(flags: Flags): {
  labels?: Labels;
  op?: LabelOp;
  limit?: number;
} {
  const labels = labelsOf(flags);
  const { op, limit } = flags;
  return {
    ...(labels === undefined ? {} : { labels }),
    ...(op === 'and' || op === 'or' ? { op } : {}),
    ...(typeof limit === 'number' ? { limit } : {}),
  };
}

export function addSelectorFlags(command: Command): Command {
  return addLabelFlag(
    command
      .argument('[metric]', 'name of the metric')
      .option('--series <name>', 'name of a legacy series, instead of the metric')
      .option('--series-id <id>', 'id of the series, instead of a name')
      .option('--no-labels', 'the series without labels, if others share its name'),
  );
}

export function selectorOf(metric: string | undefined, flags: Flags): SeriesSelector {
  const series = textFlag(flags, 'series');
  const idText = textFlag(flags, 'seriesId');
  const given = [metric, series, idText].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new UsageFailure('name one series: a metric, --series or --series-id');
  }
  if (idText !== undefined) {
    const id = parseU64(idText);
    if (id === null) throw new UsageFailure('--series-id must be an unsigned 64-bit integer');
    return { series_id: id };
  }
  const labels = labelsOf(flags) ?? (flags['labels'] === false ? {} : undefined);
  if (series !== undefined) return { series, ...(labels === undefined ? {} : { tags: labels }) };
  return { metric: metric ?? '', ...(labels === undefined ? {} : { labels }) };
}

export function addTimes(command: Command, start = 'open', end = 'open'): Command {
  return command
    .option('--start <time>', `${timeForms} (default: ${start})`)
    .option('--end <time>', `end of the range, inclusive, in the same forms (default: ${end})`);
}

/** A time flag, or `fallback`; null means that it is required. */
export function timeFlag<T extends DatabaseTime | undefined | null>(
  context: Pick<TimedContext, 'unit'>,
  flags: Flags,
  wanted: { readonly flag: string; readonly name: string; readonly fallback: T },
): DatabaseTime | Exclude<T, null> {
  const text = textFlag(flags, wanted.name);
  if (text === undefined) {
    if (wanted.fallback !== null) return wanted.fallback;
    throw new UsageFailure(`${wanted.flag} is required`);
  }
  const time = parseTime(text, context.unit);
  if (time !== null) return time;
  throw new UsageFailure(`${wanted.flag} must be ${timeForms}, not "${text}"`);
}

/** A duration flag in the database's unit. */
export function durationFlag(context: TimedContext, text: string, flag: string): DatabaseTime {
  const durationMs = parseDurationMs(text);
  if (durationMs !== null) return fromMilliseconds(durationMs, context.unit);
  throw new UsageFailure(`${flag} must be a duration like 90s, 5m, 1h or 7d`);
}
