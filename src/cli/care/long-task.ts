/** `seriesdb compact` and `migrate`: work on segments that may take hours, open or closed. */

import { beginLongTask, type LongTask } from '../../operations/maintenance.js';

import { adminConnection, placeOf, type CareContext } from './care-context.js';
import { readPieces } from './directories.js';
import { follow } from './follow.js';
import { withOpened } from './task.js';

import type { Flags } from '../client-context.js';

/** Resolves with the exit code. */
export async function performLong(
  task: LongTask,
  context: CareContext,
  directory: string | undefined,
  flags: Flags,
): Promise<number> {
  const { terminal, signal } = context;
  const place = placeOf(directory, flags);
  if ('url' in place) {
    const path = `/__admin/${task}`;
    const call = { method: 'POST', path, isRepeatable: false, signal } as const;
    return follow(context, task, adminConnection(terminal, place.url, flags).pieces(call));
  }
  return withOpened(context, place.directory, flags, (opened) =>
    follow(context, task, readPieces(beginLongTask(task, opened), signal)),
  );
}
