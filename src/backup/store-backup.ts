/**
 * A backup of an open database to an object store. It tests the store, and has a thread of its own
 * for the requests until it ends.
 */

import { bucketUrlOf } from '../bucket/bucket-place.js';
import { overtakenBy, unfitForBackups } from '../bucket/backup-words.js';
import { nodeName } from '../bucket/node-name.js';
import { addressesOf, openStore } from '../bucket/open-store.js';
import { StoreThread } from '../bucket/store-thread.js';
import { unfitness } from '../bucket/fitness.js';
import { AppError } from '../common/errors/app-error.js';
import { flushedBefore, type LinePieces } from '../operations/maintenance.js';

import type { StoreSettings } from '../bucket/store-settings.js';
import type { Storage } from '../storage/storage.js';

/** The database, and how threads load the addon. */
export interface BackedUp {
  readonly storage: Storage;
  /** Another build of the addon. */
  readonly addonPath: string | undefined;
}

export interface StoreTarget {
  readonly store: StoreSettings;
  /** So many backups stay readable. */
  readonly keep: number;
}

interface BegunBackup {
  readonly pieces: LinePieces;
  readonly thread: StoreThread;
}

/** Lines of native/maintenance/bucket/backup.h. The test of the store precedes the first one. */
export class StoreBackup implements LinePieces {
  /** Resolves when nothing of the backup runs any more. */
  readonly ended: Promise<void>;
  readonly #backed: BackedUp;
  readonly #target: StoreTarget;
  readonly #url: string;
  readonly #cancelled = new AbortController();
  #begun: Promise<BegunBackup> | null = null;
  #isEnded = false;
  #onEnded: () => void = () => undefined;

  constructor(backed: BackedUp, target: StoreTarget) {
    this.#backed = backed;
    this.#target = target;
    this.#url = bucketUrlOf(target.store.place);
    this.ended = new Promise((resolve) => {
      this.#onEnded = resolve;
    });
  }

  /** Rejects with an AppError; `closed` after close(). */
  async next(): Promise<Uint8Array | null> {
    try {
      this.#needWanted();
      const { pieces } = await (this.#begun ??= this.#begin());
      const piece = await pieces.next();
      if (piece === null) await this.#end();
      return piece;
    } catch (error) {
      await this.#end();
      this.#needWanted();
      const overtaken = overtakenBy(error, this.#url);
      throw overtaken === null ? error : new AppError('locked', overtaken);
    }
  }

  close(): void {
    this.#cancelled.abort();
    void this.#end();
  }

  #needWanted(): void {
    if (!this.#cancelled.signal.aborted) return;
    throw new AppError('closed', 'the backup was cancelled');
  }

  async #begin(): Promise<BegunBackup> {
    const { store, keep } = this.#target;
    const { storage, addonPath } = this.#backed;
    await this.#needFit();
    const addresses = await addressesOf(store);
    this.#needWanted();
    // Requests of a thread that is lost are not known, which the backup tells.
    const onLost = (): void => undefined;
    const thread = await StoreThread.start({ settings: store, addresses, addonPath, onLost });
    try {
      this.#needWanted();
      const named = { store: thread.number, url: this.#url, node: nodeName(), keep };
      return { pieces: flushedBefore(storage, storage.openBucketBackup(named)), thread };
    } catch (error) {
      await thread.close();
      throw error;
    }
  }

  async #needFit(): Promise<void> {
    const open = await openStore(this.#target.store);
    try {
      const unfit = await unfitness(open, this.#cancelled.signal);
      if (unfit === null) return;
      const code = unfit.isUnheard ? 'bucket_unavailable' : 'invalid_configuration';
      throw new AppError(code, unfitForBackups(this.#url, unfit.text));
    } finally {
      await open.close();
    }
  }

  async #end(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const begun = await this.#begun?.catch(() => null);
    begun?.pieces.close();
    // A native thread that waits for the store goes on when its thread is closed.
    await begun?.thread.close();
    this.#onEnded();
  }
}
