/** `seriesdb backup` and `restore`: a database copied to another directory, file by file. */

import path from 'node:path';

import { beginBackup } from '../../operations/maintenance.js';
import { textFlag } from '../session/client-context.js';

import { adminOrder, placeOf, type CareContext } from '../session/care-context.js';
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
  context: CareContext,
  { target, directory }: BackupPlaces,
): Promise<number> {
  const place = placeOf(context, directory);
  if ('url' in place) {
    // As the server sees it: relative to what would be nobody's guess.
    const path = `/__admin/backup?directory=${encodeURIComponent(target)}`;
    return follow(context, 'backup', adminOrder(context, { ...place, path }).pieces());
  }
  return withOpened(context, place.directory, async (opened) => {
    const pieces = beginBackup(opened, path.resolve(target));
    return follow(context, 'backup', readPieces(pieces, context.signal));
  });
}

/** Resolves with the exit code. */
export function restore(context: CareContext, { source, target }: RestorePlaces): Promise<number> {
  const { directories, flags, signal } = context;
  const snapshot = textFlag(flags, 'snapshot') ?? null;
  const request = { directory: source, target: path.resolve(target), snapshot };
  return follow(context, 'restore', readPieces(directories.openRestore(request), signal));
}
