/** `seriesdb find …`: what the database holds; and `seriesdb health`. */

import { printTime } from '../../model/iso-time.js';
import { visible } from '../../model/visible-text.js';

import { filterOf, timeFlag } from '../session/arguments.js';
import {
  printJson,
  textFlag,
  type ClientContext,
  type Flags,
  type TimedContext,
} from '../session/client-context.js';
import { exitCodes } from '../session/failure.js';
import { printLabels, printTable, type Cell, type Column } from '../session/table.js';

interface Listing<T> {
  readonly found: readonly T[];
  readonly columns: readonly Column[];
  readonly row: (one: T) => readonly Cell[];
}

/** Prints what was found; says so when there is nothing. */
function writeList<T>(context: ClientContext, listing: Listing<T>): number {
  const { terminal, isJson } = context;
  const { found, columns, row } = listing;
  if (isJson) terminal.write(printJson(found));
  else if (found.length === 0) terminal.writeError('nothing found\n');
  else terminal.write(printTable(columns, found.map(row)));
  return exitCodes.ok;
}

/** One name a line, as other programs like it. */
function writeNames(context: ClientContext, names: readonly string[], answer: unknown): number {
  const { terminal, isJson } = context;
  if (isJson) terminal.write(printJson(answer));
  else if (names.length === 0) terminal.writeError('nothing found\n');
  else terminal.write(names.map((name) => `${visible(name)}\n`).join(''));
  return exitCodes.ok;
}

function timeCell(context: TimedContext, ts: bigint | null): Cell {
  if (ts === null) return null;
  const shown = printTime(ts, context.unit);
  return shown === '' ? ts : shown;
}

export async function findMetrics(
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

export async function findSeries(
  context: TimedContext,
  metric: string,
  flags: Flags,
): Promise<number> {
  const filter = { metric, ...filterOf(flags) };
  const found = await context.client.findSeries(filter, { signal: context.signal });
  const columns = ['series_id', 'metric', 'labels', 'first', 'last'];
  return writeList(context, {
    found,
    columns: columns.map((name) => ({ name, isNumber: name === 'series_id' })),
    row: (one) => [
      ...[one.series_id, one.metric, printLabels(one.labels)],
      ...[timeCell(context, one.first_ts), timeCell(context, one.last_ts)],
    ],
  });
}

/** The keys of all labels, or of one metric's. */
export async function findLabels(
  context: ClientContext,
  metric: string | undefined,
): Promise<number> {
  const filter = metric === undefined ? {} : { prefix: metric };
  const found = await context.client.findMetrics(filter, { signal: context.signal });
  const wanted = found.filter((one) => metric === undefined || one.metric === metric);
  const keys = [...new Set(wanted.flatMap((one) => one.label_keys))].sort();
  return writeNames(context, keys, keys);
}

export async function findValues(
  context: ClientContext,
  key: string,
  flags: Flags,
): Promise<number> {
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

export async function findIds(context: ClientContext, flags: Flags): Promise<number> {
  const { labels, op } = filterOf(flags);
  const filter = { tags: labels ?? {}, ...(op === undefined ? {} : { op }) };
  const ids = await context.client.findSeriesIds(filter, { signal: context.signal });
  return writeNames(context, ids.map(String), ids);
}

export async function showHealth(
  context: TimedContext,
  prefix: string | undefined,
  flags: Flags,
): Promise<number> {
  const before = timeFlag(context, flags, {
    ...{ flag: '--inactive-before', name: 'inactiveBefore', fallback: undefined },
  });
  const filter = {
    ...(prefix === undefined ? {} : { prefix }),
    ...filterOf(flags),
    ...(before === undefined ? {} : { inactive_before_ts: before }),
  };
  const found = await context.client.metricsHealth(filter, { signal: context.signal });
  const columns = ['metric', 'kind', 'series', 'inactive', 'state', 'missing', 'first', 'last'];
  return writeList(context, {
    found,
    columns: columns.map((name) => ({ name, isNumber: name === 'series' || name === 'inactive' })),
    row: (one) => [
      ...[one.metric, one.kind, one.series_count, one.inactive_series_count],
      ...[one.inactive ? 'inactive' : 'active', one.missing_metadata.join(', ')],
      ...[timeCell(context, one.first_ts), timeCell(context, one.last_ts)],
    ],
  });
}
