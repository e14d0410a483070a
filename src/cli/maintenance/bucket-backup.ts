/** `seriesdb backup s3://…`, `restore s3://…` and `verify s3://…`: backups on an object store. */

import os from 'node:os';
import path from 'node:path';

import { openStore } from '../../bucket/open-store.js';
import { flushedBefore } from '../../operations/maintenance.js';
import { askedStore } from './asked-store.js';
import { textFlag } from '../session/client-context.js';
import { CommandFailure } from '../session/failure.js';
import { readPieces } from '../session/directories.js';
import { placeOf, type MaintenanceContext } from '../session/maintenance-context.js';
import { follow } from './follow.js';
import { withOpened } from './task.js';

/** How many backups stay readable. */
const kKeptBackups = 7;

interface ToBucket {
  /** `s3://BUCKET/PREFIX`. */
  readonly url: string;
  readonly directory: string | undefined;
}

/** Answers native code's requests to the store until `work` has ended. */
export async function withStore<Told>(
  { terminal, directories, flags }: MaintenanceContext,
  url: string,
  work: (store: number) => Promise<Told>,
): Promise<Told> {
  const served = directories.serveStore(await openStore(askedStore(url, flags, terminal)));
  try {
    return await work(served.number);
  } finally {
    await served.close();
  }
}

/** Resolves with the exit code. */
export async function backupToBucket(
  context: MaintenanceContext,
  { url, directory }: ToBucket,
): Promise<number> {
  const place = await placeOf(context, directory);
  if ('server' in place) {
    throw new CommandFailure(
      'a server has the database open, and no server writes to an object store yet: ' +
        'stop it, or back up to a directory',
    );
  }
  const keep = countFlag(context) ?? kKeptBackups;
  return withStore(context, url, (store) =>
    withOpened(context, place.directory, (opened) => {
      const pieces = opened.openBucketBackup({ store, url, node: nodeName(), keep });
      return follow(context, 'backup', readPieces(flushedBefore(opened, pieces), context.signal));
    }),
  );
}

function countFlag({ flags }: MaintenanceContext): number | undefined {
  const { keep } = flags;
  return typeof keep === 'number' ? keep : undefined;
}

/** The name of this machine, as far as an entry of the bucket can hold it. */
function nodeName(): string {
  const name = os
    .hostname()
    .replace(/[^!-~]/g, '_')
    .slice(0, 128);
  return name === '' ? 'unknown' : name;
}

interface FromBucket {
  readonly url: string;
  readonly target: string;
}

/** Resolves with the exit code. */
export function restoreFromBucket(
  context: MaintenanceContext,
  { url, target }: FromBucket,
): Promise<number> {
  const { directories, flags, signal } = context;
  const snapshot = textFlag(flags, 'snapshot') ?? null;
  const entry = entryFlag(context);
  return withStore(context, url, (store) => {
    const place = { directory: url, bucket: { store, entry } };
    const request = { ...place, target: path.resolve(target), snapshot };
    return follow(context, 'restore', readPieces(directories.openRestore(request), signal));
  });
}

/** The backup that --entry names; null: the last one. */
export function entryFlag({ flags }: MaintenanceContext): bigint | null {
  const { entry } = flags;
  return typeof entry === 'bigint' ? entry : null;
}
