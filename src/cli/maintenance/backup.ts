/** `seriesdb backup` and `restore`: copies a database to another directory, file by file. */

import path from 'node:path';

import { beginBackup, nearestDirectory } from '../../operations/maintenance.js';
import { textFlag } from '../session/client-context.js';

import {
  adminOrder,
  placeOf,
  type AskedServer,
  type MaintenanceContext,
} from '../session/maintenance-context.js';
import { CommandFailure } from '../session/failure.js';
import { readPieces } from '../session/directories.js';
import { follow } from './follow.js';
import { withOpened } from './task.js';

interface BackupPlaces {
  readonly target: string;
  readonly directory: string | undefined;
}

interface RestorePlaces {
  /** The backup. */
  readonly source: string;
  readonly target: string;
}

/** Resolves with the exit code. */
export async function backup(
  context: MaintenanceContext,
  { target, directory }: BackupPlaces,
): Promise<number> {
  const place = await placeOf(context, directory);
  if ('server' in place) return backupByServer(context, place.server, target);
  return withOpened(context, place.directory, async (opened) => {
    const pieces = beginBackup(opened, path.resolve(target));
    return follow(context, 'backup', readPieces(pieces, context.signal));
  });
}

async function backupByServer(
  context: MaintenanceContext,
  server: AskedServer,
  target: string,
): Promise<number> {
  const { userId } = server;
  // The path as another server sees it: a relative path would be ambiguous.
  const place = userId === null ? target : path.resolve(target);
  const seen = userId === null ? null : await nearestDirectory(place);
  const checked = seen === null ? '' : `&seen=${seen}`;
  const route = `/__admin/backup?directory=${encodeURIComponent(place)}${checked}`;
  const pieces = adminOrder(context, { server, path: route }).pieces();
  try {
    return await follow(context, 'backup', pieces);
  } catch (error) {
    const isOther = userId !== null && userId !== process.getuid?.();
    if (!isOther || !(error instanceof CommandFailure)) throw error;
    const whose = `the server writes the backup, as user ${String(userId)}`;
    throw new CommandFailure(`${error.message}; ${whose}`, error.exitCode);
  }
}

/** Resolves with the exit code. */
export function restore(
  context: MaintenanceContext,
  { source, target }: RestorePlaces,
): Promise<number> {
  const { directories, flags, signal } = context;
  const snapshot = textFlag(flags, 'snapshot') ?? null;
  const request = { directory: source, target: path.resolve(target), snapshot };
  return follow(context, 'restore', readPieces(directories.openRestore(request), signal));
}
