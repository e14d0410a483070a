/** `seriesdb gc`: removes unreferenced files, of an open or a closed database. */

import {
  printCollection,
  type CollectionFigures,
  type CollectionRequest,
} from '../../operations/maintenance.js';
import { exitCodes } from '../session/failure.js';

import { adminOrder, placeOf, type MaintenanceContext } from '../session/maintenance-context.js';
import { tellAnswer, withOpened, withSeen } from './task.js';

/** Resolves with the exit code. */
export async function collectGarbage(
  context: MaintenanceContext,
  directory: string | undefined,
): Promise<number> {
  const { flags } = context;
  const place = await placeOf(context, directory);
  const request = { isDryRun: flags['dryRun'] === true, isOfHistory: flags['history'] === true };
  const path = `/__admin/gc?dry_run=${request.isDryRun}&history=${request.isOfHistory}`;
  const answer =
    'server' in place
      ? await adminOrder(context, { ...place, path }).text()
      : printCollection(await collectIn(context, place.directory, request), request);
  tellAnswer(context, answer);
  return exitCodes.ok;
}

/** Opening a database for work removes unreferenced files, so they are listed first. */
async function collectIn(
  context: MaintenanceContext,
  directory: string,
  request: CollectionRequest,
): Promise<CollectionFigures> {
  const seen = await withSeen(context, directory, async (opened) => ({
    before: await opened.collect({ isDryRun: true, isOfHistory: false }),
    planned: request.isDryRun ? await opened.collect(request) : null,
  }));
  if (seen.planned !== null) return seen.planned;
  const { before } = seen;
  context.signal.throwIfAborted();
  const after = await withOpened(context, directory, (opened) => opened.collect(request));
  return { ...after, files: before.files + after.files, bytes: before.bytes + after.bytes };
}
