/** `seriesdb undelete`: restores samples that a past state has and the database lacks. */

import { parse } from 'lossless-json';

import { printBody } from '../../client/exact-json.js';
import { isTimestampUnit, type TimestampUnit } from '../../common/model/timestamp-unit.js';
import { beginUndelete, type UndeleteQuestion } from '../../operations/undelete.js';
import { labelsOf, timeFlag } from '../session/arguments.js';
import { textFlag, type Flags } from '../session/client-context.js';
import { CommandFailure } from '../session/failure.js';

import { placeOf, type MaintenanceContext } from '../session/maintenance-context.js';
import { linesOf, readPieces } from '../session/directories.js';
import { follow } from './follow.js';
import { withOpened, withSeen } from './task.js';

import type { Connection } from '../../client/connection.js';

type Undeletable = Parameters<typeof beginUndelete>[0];

/** Resolves with the exit code. */
export async function undelete(
  context: MaintenanceContext,
  directory: string | undefined,
): Promise<number> {
  const place = await placeOf(context, directory);
  if ('server' in place) return undeleteServer(context, place.server.connection);
  const asked = questionOf(context.flags, await unitOfDirectory(context, place.directory));
  const run = (opened: Undeletable): Promise<number> =>
    follow(context, 'undelete', readPieces(beginUndelete(opened, asked), context.signal));
  return asked.isDryRun
    ? withSeen(context, place.directory, run)
    : withOpened(context, place.directory, run);
}

async function undeleteServer(
  context: MaintenanceContext,
  connection: Connection,
): Promise<number> {
  const { flags, signal } = context;
  const asked = questionOf(flags, await unitOfServer(connection, signal));
  const { asOf = '', isDryRun, labels = [], metric, prefix, start, end } = asked;
  const path = `/__admin/undelete?as_of=${encodeURIComponent(asOf)}&dry_run=${String(isDryRun)}`;
  const body = printBody({ metric, prefix, start, end, labels: Object.fromEntries(labels) });
  const call = { method: 'POST', path, body, isRepeatable: false, signal } as const;
  return follow(context, 'undelete', connection.pieces(call));
}

function questionOf(flags: Flags, unit: TimestampUnit): UndeleteQuestion {
  return {
    asOf: textFlag(flags, 'asOf'),
    unit,
    metric: textFlag(flags, 'metric'),
    prefix: textFlag(flags, 'prefix'),
    labels: Object.entries(labelsOf(flags) ?? {}),
    start: timeFlag({ unit }, flags, { flag: '--start', name: 'start', fallback: undefined }),
    end: timeFlag({ unit }, flags, { flag: '--end', name: 'end', fallback: undefined }),
    isDryRun: flags['dryRun'] === true,
  };
}

async function unitOfServer(connection: Connection, signal: AbortSignal): Promise<TimestampUnit> {
  const call = { method: 'GET', path: '/__admin/config', isRepeatable: true, signal } as const;
  const told = parse(await connection.text(call)) as {
    readonly settings?: { readonly timestamp_unit?: { readonly value?: unknown } };
  };
  return unitFrom(told.settings?.timestamp_unit?.value);
}

async function unitOfDirectory(
  { directories, signal }: MaintenanceContext,
  directory: string,
): Promise<TimestampUnit> {
  const report = directories.openReport({ directory, report: 'manifest', number: null });
  for await (const line of linesOf(readPieces(report, signal))) {
    return unitFrom((parse(line) as { readonly timestamp_unit?: unknown }).timestamp_unit);
  }
  return unitFrom(undefined);
}

function unitFrom(told: unknown): TimestampUnit {
  if (typeof told === 'string' && isTimestampUnit(told)) return told;
  throw new CommandFailure('the database does not say its timestamp_unit; give times as integers');
}
