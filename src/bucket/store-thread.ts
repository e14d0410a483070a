/**
 * A thread of its own for the requests to an object store: neither a long query on the first thread
 * nor a full pool of libuv holds them up.
 *
 * It is not started again if it fails: the engine knows its store by the thread that serves it. All
 * requests are then not known, and the server says so until it is restarted.
 */

import { Worker } from 'node:worker_threads';

import { AppError } from '../common/errors/app-error.js';
import { thrownMessage } from '../common/errors/thrown-message.js';

import { addressesOf } from './open-store.js';
import { StoreCounts } from './store-counts.js';

import type {
  StoreReach,
  StoreThreadFailed,
  StoreThreadOrder,
  StoreThreadReady,
} from './store-calls.js';
import type { StoreSettings } from './store-settings.js';

/** Hosts of stores change their addresses within minutes. */
const kLookMs = 60_000;
/** The longest time for the requests on their way at the end. */
const kEndMs = 5_000;

interface StoreThreadOptions extends StoreReach {
  /** Another build of the addon. */
  readonly addonPath: string | undefined;
  /** Called once, if the thread ends by a failure. */
  readonly onLost: (reason: string) => void;
}

export class StoreThread {
  /** By which native code knows the store. */
  readonly number: number;
  readonly counts: StoreCounts;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #reach: StoreReach;
  #failure: string | null = null;
  #isClosing = false;

  private constructor({ worker, number, counts }: StartedWorker, options: StoreThreadOptions) {
    this.#worker = worker;
    this.number = number;
    this.counts = counts;
    this.#reach = { settings: options.settings, addresses: options.addresses };
    const lost = (reason: string): void => {
      if (this.#isClosing || this.#failure !== null) return;
      this.#failure = `the thread that asks the object store has ended (${reason}); restart the server`;
      options.onLost(this.#failure);
    };
    worker.on('message', ({ failed }: StoreThreadFailed) => {
      lost(failed);
    });
    worker.on('error', (error) => {
      lost(thrownMessage(error));
    });
    this.#ended = new Promise((resolve) => {
      worker.on('exit', (code) => {
        lost(`exit code ${String(code)}`);
        resolve();
      });
    });
    // The server's sockets keep the process running.
    worker.unref();
    this.#timer = setInterval(() => {
      void this.#look();
    }, kLookMs);
    this.#timer.unref();
  }

  /** Rejects if the thread does not start. */
  static async start(options: StoreThreadOptions): Promise<StoreThread> {
    return new StoreThread(await startWorker(options), options);
  }

  /** Why all requests fail; null while the thread runs. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Requests from now on are sent by these settings, for example with other keys. */
  renew(settings: StoreSettings): void {
    this.#send({ ...this.#reach, settings });
  }

  /** Only after the engine: its requests end as not known. Idempotent. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (!this.#isClosing) this.#order({ kind: 'close' });
    this.#isClosing = true;
    const end = setTimeout(() => void this.#worker.terminate(), kEndMs);
    await this.#ended;
    clearTimeout(end);
  }

  async #look(): Promise<void> {
    const { settings, addresses } = this.#reach;
    // The addresses that are known may serve on without a name server.
    const found = await addressesOf(settings).catch(() => addresses);
    const isSame = [...found].sort().join() === [...addresses].sort().join();
    if (!isSame) this.#send({ ...this.#reach, addresses: found });
  }

  #send(reach: StoreReach): void {
    this.#reach = reach;
    this.#order({ kind: 'reach', reach });
  }

  #order(order: StoreThreadOrder): void {
    this.#worker.postMessage(order);
  }
}

interface StartedWorker {
  readonly worker: Worker;
  readonly number: number;
  readonly counts: StoreCounts;
}

async function startWorker(options: StoreThreadOptions): Promise<StartedWorker> {
  const { settings, addresses, addonPath } = options;
  const counts = new StoreCounts();
  const data = { settings, addresses, addonPath, counts: counts.shared };
  const worker = new Worker(new URL('./store-worker.js', import.meta.url), { workerData: data });
  const ready = await new Promise<StoreThreadReady>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      reject(new AppError('internal_error', 'the thread of the object store did not start'));
    });
  });
  worker.removeAllListeners();
  return { worker, number: ready.share, counts };
}
