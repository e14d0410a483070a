/** `seriesdb health`: lists silent and undocumented metrics. */

import type { Command } from 'commander';

import { addLabelFlag, addLimitFlag, filterOf, timeFlag } from '../session/arguments.js';
import { finishTimed } from '../session/client-command.js';
import { timeCell, writeList } from '../session/listing.js';

import type { Flags, TimedContext } from '../session/client-context.js';
import type { Session } from '../session/command.js';

export function addHealth(program: Command, session: Session): void {
  const health = program
    .command('health')
    .description('list metrics with silent series or incomplete descriptors')
    .argument('[prefix]', 'prefix of the metric names')
    .option(
      '--inactive-before <time>',
      'a series without a sample since this time is inactive',
      'now-1h',
    );
  addLimitFlag(addLabelFlag(health));
  finishTimed(health, session, (context, flags, [prefix]) => showHealth(context, prefix, flags));
}

async function showHealth(
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
