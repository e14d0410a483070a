/**
 * `seriesdb compact` and `migrate`: work on segments of an open or closed database; may take hours.
 */

import { beginLongTask, type LongTask } from '../../operations/maintenance.js';

import { adminOrder, placeOf, type MaintenanceContext } from '../session/maintenance-context.js';
import { readPieces } from '../session/directories.js';
import { follow } from './follow.js';
import { withOpened } from './task.js';

/** Resolves with the exit code. */
export async function performLong(
  task: LongTask,
  context: MaintenanceContext,
  directory: string | undefined,
): Promise<number> {
  const place = await placeOf(context, directory);
  if ('server' in place) {
    const order = adminOrder(context, { ...place, path: `/__admin/${task}` });
    return follow(context, task, order.pieces());
  }
  return withOpened(context, place.directory, (opened) =>
    follow(context, task, readPieces(beginLongTask(task, opened), context.signal)),
  );
}
