/** `seriesdb backup s3://…`, `restore s3://…` and `verify s3://…`: backups on an object store. */

import { stat } from 'node:fs/promises';
import path from 'node:path';

import { kKeptBackups, overtakenBy, unfitForBackups } from '../../bucket/backup-words.js';
import { bucketUrlOf } from '../../bucket/bucket-place.js';
import { nodeName } from '../../bucket/node-name.js';
import { openStore } from '../../bucket/open-store.js';
import { sentStore } from '../../bucket/sent-store.js';
import { unfitness } from '../../bucket/fitness.js';
import { SeriesDbError } from '../../client/client.js';
import { flushedBefore } from '../../operations/maintenance.js';
import { askedStore } from './asked-store.js';
import { textFlag } from '../session/client-context.js';
import { CommandFailure, UsageFailure } from '../session/failure.js';
import { readPieces } from '../session/directories.js';
import { entryFlag } from '../session/store-flags.js';
import {
  adminOrder,
  placeOf,
  type AskedServer,
  type MaintenanceContext,
} from '../session/maintenance-context.js';
import { follow } from './follow.js';
import { withOpened } from './task.js';

import type { ProbedStore } from '../../bucket/probe.js';

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
  const unfit = await unfitness(open, signal);
  if (unfit === null) return;
  throw new CommandFailure(unfitForBackups(url, unfit.text));
}

/** Resolves with the exit code. */
export async function backupToBucket(
  context: MaintenanceContext,
  { url, directory }: ToBucket,
): Promise<number> {
  if (directory === undefined && textFlag(context.flags, 'url') !== undefined) {
    throw new UsageFailure(
      'the keys of an object store are sent to no server over the network: name the directory ' +
        'that the server has open, on its machine',
    );
  }
  const place = await placeOf(context, directory);
  const keep = countFlag(context) ?? kKeptBackups;
  if ('server' in place) {
    await needOwner(place.server, directory ?? '');
    return backupByServer(context, place.server, { url, keep });
  }
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
    const overtaken = overtakenBy(error, url);
    if (overtaken === null) throw error;
    throw new CommandFailure(overtaken);
  }
}

/** Whoever may write to the directory could put a socket there and wait for keys. */
async function needOwner({ userId }: AskedServer, directory: string): Promise<void> {
  const { uid } = await stat(directory);
  if ([0, uid, process.getuid?.()].includes(userId ?? undefined)) return;
  throw new CommandFailure(
    `the socket in ${directory} is not its owner's, but of user ${String(userId)}, who is sent ` +
      'no keys',
  );
}

interface ToServer {
  readonly url: string;
  readonly keep: number;
}

/** The server tests the store and makes the backup. Ctrl-C closes the connection and ends it. */
async function backupByServer(
  context: MaintenanceContext,
  server: AskedServer,
  { url, keep }: ToServer,
): Promise<number> {
  const store = sentStore(askedStore(url, context.flags, context.terminal));
  const body = JSON.stringify({ ...store, keep });
  const order = adminOrder(context, { server, path: '/__admin/backup/store', body });
  try {
    return await follow(context, 'backup', order.pieces());
  } catch (error) {
    const isOfBackup = error instanceof SeriesDbError && backupCodes.has(error.code);
    if (!isOfBackup) throw error;
    throw new CommandFailure(error.message);
  }
}

/** The sentences of these refusals are those of a command without a server. */
const backupCodes: ReadonlySet<string> = new Set([
  ...['invalid_configuration', 'bucket_unavailable', 'locked', 'storage_unavailable'],
]);

function countFlag({ flags }: MaintenanceContext): number | undefined {
  const { keep } = flags;
  return typeof keep === 'number' ? keep : undefined;
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
