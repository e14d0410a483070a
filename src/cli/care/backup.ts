/** `seriesdb backup` and `restore`: a database copied to another directory, file by file. */

import path from 'node:path';

import { beginBackup } from '../../operations/maintenance.js';
import { textFlag, type Flags } from '../client-context.js';

import { adminOrder, placeOf, type CareContext } from './care-context.js';
import { readPieces } from './directories.js';
import { follow } from './follow.js';
import { withOpened } from './task.js';

/** Resolves with the exit code. */
export async function backup(
  context: CareContext,
  target: string,
  directory: string | undefined,
  flags: Flags,
): Promise<number> {
  const place = placeOf(directory, flags);
  if ('url' in place) {
    // As the server sees it: relative to what would be nobody's guess.
    const path = `/__admin/backup?directory=${encodeURIComponent(target)}`;
    return follow(context, 'backup', adminOrder(context, place.url, flags, path).pieces());
  }
  return withOpened(context, place.directory, flags, async (opened) => {
    const pieces = beginBackup(opened, path.resolve(target));
    return follow(context, 'backup', readPieces(pieces, context.signal));
  });
}

/** Resolves with the exit code. */
export function restore(
  context: CareContext,
  source: string,
  target: string,
  flags: Flags,
): Promise<number> {
  const { directories, signal } = context;
  const snapshot = textFlag(flags, 'snapshot') ?? null;
  const request = { directory: source, target: path.resolve(target), snapshot };
  return follow(context, 'restore', readPieces(directories.openRestore(request), signal));
}
