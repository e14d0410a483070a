/** From settings to a bucket that an engine may own: the store is probed, and has its thread. */

import { setTimeout as sleep } from 'node:timers/promises';

import { bucketUrlOf } from './bucket/bucket-place.js';
import { unfitness } from './bucket/fitness.js';
import { nodeName } from './bucket/node-name.js';
import { addressesOf, openStore } from './bucket/open-store.js';
import { StoreThread } from './bucket/store-thread.js';
import { AppError } from './common/errors/app-error.js';
import { printListenAddress } from './common/model/listen-address.js';
import { storeOf } from './store-of.js';

import type { StoreSettings } from './bucket/store-settings.js';
import type { Environment } from './common/model/user-folder.js';
import type { Settings } from './config/settings.js';
import type { StorageOptions } from './storage/native-storage.js';
import type { BucketFacts } from './telemetry/bucket-status.js';
import type { Log } from './telemetry/log.js';

/** A store that does not answer is asked again for so long. */
const kAnswerMs = 60_000;
const kPauseMs = 1_000;

/** The bucket of a server. */
export interface OwnBucket {
  readonly options: NonNullable<StorageOptions['bucket']>;
  readonly facts: BucketFacts;
  /**
   * Reads keys and certificates again, and returns what makes the change. Throws
   * `invalid_configuration`.
   */
  prepare(settings: Settings): () => void;
  /** Only after the engine. Idempotent. */
  close(): Promise<void>;
}

interface OpeningBucket {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly addonPath: string | undefined;
  readonly log: Log;
  /** Gives the start up. */
  readonly signal: AbortSignal;
  /** How long a store may be silent; a minute when left out. */
  readonly answerMs?: number;
}

/**
 * Null without a bucket. Rejects with `invalid_configuration` if the settings are wrong or the
 * store is not fit, and with `bucket_unavailable` if it does not answer.
 */
export async function openBucket(opening: OpeningBucket): Promise<OwnBucket | null> {
  const { settings, environment, addonPath, log } = opening;
  const store = storeOf(settings, environment);
  if (store === null) return null;
  await needFit(store, opening);
  const addresses = await addressesOf(store);
  const onLost = (reason: string): void => {
    log.write('error', reason);
  };
  const thread = await StoreThread.start({ settings: store, addresses, addonPath, onLost });
  const url = bucketUrlOf(store.place);
  const options = bucketOptions(settings, { url, store: thread.number });
  const { node, ack } = options;
  return {
    options,
    facts: {
      ...{ url, node, ack },
      requests: () => thread.counts.requests(),
      bytes: () => thread.counts.bytes(),
      failure: () => thread.failure,
    },
    prepare: (next) => {
      const renewed = storeOf(next, environment);
      return () => {
        if (renewed !== null) thread.renew(renewed);
      };
    },
    close: () => thread.close(),
  };
}

function bucketOptions(
  settings: Settings,
  named: { readonly url: string; readonly store: number },
): OwnBucket['options'] {
  return {
    ...named,
    node: settings['bucket.node'] ?? nodeName(),
    address: settings['bucket.advertise'] ?? advertised(settings.listen),
    ack: settings['bucket.ack'],
    groupMs: settings['bucket.group_ms'],
    waitMs: settings['bucket.wait_ms'],
    publishMs: settings['bucket.publish_ms'],
    lagMaxMs: settings['bucket.lag_max_ms'],
  };
}

/** Nobody can reach a port that is chosen later, or "every address". */
function advertised({ host, port }: Settings['listen']): string {
  if (port === 0) return '';
  const isEvery = host === '0.0.0.0' || host === '::';
  return printListenAddress({ host: isEvery ? nodeName() : host, port });
}

/** Resolves if the store keeps what a database stands on. */
async function needFit(
  store: StoreSettings,
  { signal, log, answerMs = kAnswerMs }: OpeningBucket,
): Promise<void> {
  const url = bucketUrlOf(store.place);
  const deadline = AbortSignal.timeout(answerMs);
  const ended = AbortSignal.any([signal, deadline]);
  let reason = 'it does not answer';
  let isTold = false;
  while (!deadline.aborted) {
    const unfit = await unfitnessNow(store, ended);
    signal.throwIfAborted();
    if (unfit === null) return;
    if (unfit !== 'ended') {
      const { text, isUnheard } = unfit;
      if (!isUnheard) {
        throw new AppError(
          'invalid_configuration',
          `${url} is not fit for a database: ${text}; "seriesdb bucket probe" tells more`,
        );
      }
      reason = text;
    }
    if (!isTold) log.write('warn', 'the bucket does not answer yet', { url, reason });
    isTold = true;
    await sleep(kPauseMs, undefined, { signal: ended }).catch(() => undefined);
  }
  signal.throwIfAborted();
  const seconds = String(Math.ceil(answerMs / 1000));
  const message = `${url} did not answer within ${seconds} s: ${reason}`;
  throw new AppError('bucket_unavailable', message);
}

/** `ended` if the signal was aborted before the store was known to be fit or not. */
async function unfitnessNow(
  settings: StoreSettings,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof unfitness>> | 'ended'> {
  try {
    const store = await openStore(settings);
    try {
      return await unfitness(store, signal);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (signal.aborted) return 'ended';
    const isUnheard = error instanceof AppError && error.code === 'bucket_unavailable';
    if (isUnheard) return { text: error.message, isUnheard };
    throw error;
  }
}
