/** `seriesdb find …`: list metrics, series and labels. */

import type { Command } from 'commander';

import { visible } from '../../common/model/visible-text.js';
import { addLabelFlag, addLimitFlag, addOpFlag, filterOf } from '../session/arguments.js';
import { finishClient, finishTimed } from '../session/client-command.js';
import {
  printJson,
  textFlag,
  type ClientContext,
  type Flags,
  type TimedContext,
} from '../session/client-context.js';
import { exitCodes } from '../session/failure.js';
import { whatIsWrong } from '../querying/no-samples.js';
import { timeCell, writeList } from '../session/listing.js';
import { printLabels } from '../session/table.js';

import type { Session } from '../session/command.js';

export function addFind(program: Command, session: Session): void {
  const find = program
    .command('find')
    .description('list metrics, series and labels')
    .exitOverride();
  const metrics = find.command('metrics').description('metrics and their descriptors');
  addLimitFlag(addLabelFlag(metrics.argument('[prefix]', 'prefix of the metric names')));
  finishTimed(metrics, session, (context, flags, [prefix]) => findMetrics(context, prefix, flags));

  const series = find.command('series').description('series of a metric');
  addLimitFlag(addOpFlag(addLabelFlag(series.argument('<metric>', 'their name'))));
  finishTimed(series, session, (context, flags, [metric = '']) =>
    findSeries(context, metric, flags),
  );

  const labels = find.command('labels').description('label keys');
  labels.argument('[metric]', 'only of this metric');
  finishClient(labels, session, (context, _flags, [metric]) => findLabels(context, metric));

  const values = find
    .command('values')
    .description('values of a label')
    .argument('<key>', 'the label key')
    .option('--metric <name>', 'only of this metric')
    .option('--prefix <text>', 'prefix of the values');
  finishClient(addLimitFlag(values), session, (context, flags, [key = '']) =>
    findValues(context, key, flags),
  );

  const ids = find.command('ids').description('series ids by labels');
  finishClient(addOpFlag(addLabelFlag(ids)), session, (context, flags) => findIds(context, flags));
}

/** One name per line, for other programs. */
function writeNames(context: ClientContext, names: readonly string[], answer: unknown): number {
  const { terminal, isJson } = context;
  if (isJson) terminal.write(printJson(answer));
  else if (names.length === 0) terminal.writeError('nothing found\n');
  else terminal.write(names.map((name) => `${visible(name)}\n`).join(''));
  return exitCodes.ok;
}

async function findMetrics(
  context: TimedContext,
  prefix: string | undefined,
  flags: Flags,
): Promise<number> {
  const filter = { ...(prefix === undefined ? {} : { prefix }), ...filterOf(flags) };
  const found = await context.client.findMetrics(filter, { signal: context.signal });
  const columns = ['metric', 'kind', 'unit', 'series', 'labels', 'first', 'last', 'description'];
  return writeList(context, {
    found,
    columns: columns.map((name) => ({ name, isNumber: name === 'series' })),
    row: (one) => [
      ...[one.metric, one.kind, one.unit, one.series_count, one.label_keys.join(', ')],
      ...[timeCell(context, one.first_ts), timeCell(context, one.last_ts), one.description],
    ],
  });
}

async function findSeries(context: TimedContext, metric: string, flags: Flags): Promise<number> {
  const { labels = null, ...others } = filterOf(flags);
  const filter = { metric, ...(labels === null ? {} : { labels }), ...others };
  const found = await context.client.findSeries(filter, { signal: context.signal });
  const isEmpty = found.length === 0 && others.limit !== 0 && !context.isJson;
  const isAsked = isEmpty && others.op !== 'or';
  const why = isAsked ? await whatIsWrong(context, metric, labels) : null;
  const columns = ['series_id', 'metric', 'labels', 'first', 'last'];
  return writeList(context, {
    found,
    ...(why === null ? {} : { whyNone: why }),
    columns: columns.map((name) => ({ name, isNumber: name === 'series_id' })),
    row: (one) => [
      ...[one.series_id, one.metric, printLabels(one.labels)],
      ...[timeCell(context, one.first_ts), timeCell(context, one.last_ts)],
    ],
  });
}

/** The keys of all labels, or of one metric's labels. */
async function findLabels(context: ClientContext, metric: string | undefined): Promise<number> {
  const filter = metric === undefined ? {} : { prefix: metric };
  const found = await context.client.findMetrics(filter, { signal: context.signal });
  const wanted = found.filter((one) => metric === undefined || one.metric === metric);
  const keys = [...new Set(wanted.flatMap((one) => one.label_keys))].sort();
  return writeNames(context, keys, keys);
}

async function findValues(context: ClientContext, key: string, flags: Flags): Promise<number> {
  const metric = textFlag(flags, 'metric');
  const prefix = textFlag(flags, 'prefix');
  const { limit } = filterOf(flags);
  const filter = {
    key,
    ...(metric === undefined ? {} : { metric }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(limit === undefined ? {} : { limit }),
  };
  const values = await context.client.labelValues(filter, { signal: context.signal });
  return writeNames(context, values, { values });
}

async function findIds(context: ClientContext, flags: Flags): Promise<number> {
  const { labels, op } = filterOf(flags);
  const filter = { tags: labels ?? {}, ...(op === undefined ? {} : { op }) };
  const ids = await context.client.findSeriesIds(filter, { signal: context.signal });
  return writeNames(context, ids.map(String), ids);
}
