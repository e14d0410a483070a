/** `seriesdb backup s3://…`, `restore s3://…` and `verify s3://…`: backups on an object store. */

import os from 'node:os';
import path from 'node:path';

import { bucketUrlOf } from '../../bucket/bucket-place.js';
import { openStore } from '../../bucket/open-store.js';
import { probe, type ProbedStore } from '../../bucket/probe.js';
import { AppError } from '../../common/errors/app-error.js';
import { flushedBefore } from '../../operations/maintenance.js';
import { askedStore } from './asked-store.js';
import { textFlag } from '../session/client-context.js';
import { CommandFailure, UsageFailure } from '../session/failure.js';
import { readPieces } from '../session/directories.js';
import { entryFlag } from '../session/store-flags.js';
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

/** A store for native code. */
interface AskedBucket {
  /** By which native code knows it. */
  readonly store: number;
  /** Its name in messages, without a slash at its end. */
  readonly url: string;
  /** The same store for this thread. */
  readonly open: ProbedStore;
}

/** Answers native code's requests to the store until `work` has ended, or the command has. */
export async function withStore<Told>(
  context: MaintenanceContext,
  url: string,
  work: (bucket: AskedBucket) => Promise<Told>,
): Promise<Told> {
  const { terminal, directories, flags, signal } = context;
  if (textFlag(flags, 'url') !== undefined) {
    throw new UsageFailure('--url names a server, which has no part in this: leave it out');
  }
  const settings = askedStore(url, flags, terminal);
  const open = await openStore(settings);
  const served = directories.serveStore(open);
  // Native code does not wait for a store after Ctrl-C.
  const close = (): void => void served.close();
  signal.addEventListener('abort', close);
  try {
    return await work({ store: served.number, url: bucketUrlOf(settings.place), open });
  } finally {
    signal.removeEventListener('abort', close);
    await served.close();
  }
}

/** Rejects unless the store keeps what a backup stands on, which no request of a backup tells. */
async function needFit({ url, open }: AskedBucket, signal: AbortSignal): Promise<void> {
  for await (const { test, verdict, text } of probe(open, signal)) {
    if (verdict !== 'failed') continue;
    throw new CommandFailure(
      `${url} is not fit for backups: ${text} (${test}); "seriesdb bucket probe" tells more`,
    );
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
  try {
    return await withStore(context, url, async (bucket) => {
      await needFit(bucket, context.signal);
      const { store, url: name } = bucket;
      return withOpened(context, place.directory, (opened) => {
        const pieces = opened.openBucketBackup({ store, url: name, node: nodeName(), keep });
        return follow(context, 'backup', readPieces(flushedBefore(opened, pieces), context.signal));
      });
    });
  } catch (error) {
    const isFenced = error instanceof AppError && error.message.startsWith('another owner claimed');
    if (!isFenced) throw error;
    throw new CommandFailure(`another backup to ${url} began or ended meanwhile, and stands`);
  }
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
  return withStore(context, url, ({ store, url: name }) => {
    const place = { directory: name, bucket: { store, entry } };
    const request = { ...place, target: path.resolve(target), snapshot };
    return follow(context, 'restore', readPieces(directories.openRestore(request), signal));
  });
}
