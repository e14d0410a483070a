/** The threads that serve connections beside the first one, as that one sees them. */

import { Worker } from 'node:worker_threads';

import { queryPlaces } from '../operations/query-gate.js';
import { shareOf } from '../storage/native-storage.js';

import { answerForwarded } from './forwarded.js';
import { PortCalls } from './port-calls.js';

import type { Settings } from '../config/settings.js';
import type { Exchange } from '../http/transport/transport.js';
import type { QueryThread } from '../operations/query.js';
import type { ListedQuery } from '../operations/running-queries.js';
import type { ThreadFigures } from '../operations/thread-figures.js';
import type { Storage } from '../storage/storage.js';
import type { Log } from '../telemetry/log.js';
import type { FirstThreadCalls, ListenerThreadCalls, ThreadData } from './thread-calls.js';

interface ThreadsOptions extends Omit<ThreadData, 'share' | 'settings' | 'thread'> {
  readonly storage: Storage;
  readonly log: Log;
  /** Answers what only the first thread can. */
  readonly service: { accept(exchange: Exchange): void };
  /** From now on connections go to these, too. */
  readonly onServing: (shares: readonly number[]) => void;
}

interface OneThread {
  readonly worker: Worker;
  readonly calls: PortCalls<ListenerThreadCalls>;
  readonly ended: Promise<void>;
  /** Null until it serves. */
  share: number | null;
}

export class ListenerThreads {
  readonly #count: number;
  readonly #places = queryPlaces();
  readonly #threads: OneThread[] = [];
  #options: ThreadsOptions | null = null;
  #serving: Promise<void> = Promise.resolve();

  /** `count` with the first thread. */
  constructor(count: number) {
    this.#count = count;
  }

  /** The first thread among all. */
  get first(): QueryThread {
    return { index: 0, count: this.#count, places: this.#places };
  }

  /** They serve when they are ready, one after the other. */
  begin(settings: Settings, options: ThreadsOptions): void {
    this.#options = options;
    this.#serving = this.#beginAll(settings, options);
  }

  async #beginAll(settings: Settings, options: ThreadsOptions): Promise<void> {
    for (let index = 1; index < this.#count; index += 1) {
      const thread = this.#make(index, settings, options);
      this.#threads.push(thread);
      thread.share = await thread.calls.call('adopt', settings);
      this.#tell();
    }
  }

  #make(index: number, settings: Settings, options: ThreadsOptions): OneThread {
    const { storage, service, log, addonPath, version, commit, port, gate } = options;
    const workerData: ThreadData = {
      ...{ settings, addonPath, version, commit, port, gate },
      share: shareOf(storage),
      thread: { index, count: this.#count, places: this.#places },
    };
    const worker = new Worker(new URL('./listener-thread.cjs', import.meta.url), { workerData });
    const calls = new PortCalls<ListenerThreadCalls>(worker, {
      answer: (request) => answerForwarded(service, request),
    } satisfies FirstThreadCalls);
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        calls.end(new Error('the thread has ended'));
        resolve();
      });
    });
    // What nobody caught there ends the process, as it does on this thread.
    worker.on('error', (error) => {
      log.write('error', 'a listener thread failed', { index });
      throw error;
    });
    return { worker, calls, ended, share: null };
  }

  #tell(): void {
    this.#options?.onServing(this.#threads.flatMap(({ share }) => (share === null ? [] : [share])));
  }

  /** Resolves when all serve by these settings. */
  async adopt(settings: Settings): Promise<void> {
    if (this.#count === 1) return;
    await this.#serving;
    await Promise.all(
      this.#threads.map(async (thread) => {
        thread.share = await thread.calls.call('adopt', settings);
      }),
    );
    this.#tell();
  }

  figures(): Promise<readonly ThreadFigures[]> {
    return this.#all((calls) => calls.call('figures', undefined));
  }

  async listQueries(): Promise<readonly ListedQuery[]> {
    return (await this.#all((calls) => calls.call('listQueries', undefined))).flat();
  }

  /** False where none of that number waits or runs. */
  async cancelQuery(id: bigint): Promise<boolean> {
    const found = await this.#all((calls) => calls.call('cancelQuery', id));
    return found.some((one) => one);
  }

  async forgetState(snapshot: string): Promise<void> {
    await this.#all((calls) => calls.call('forgetState', snapshot));
  }

  async stop(): Promise<void> {
    await this.#serving.catch(() => undefined);
    await this.#all((calls) => calls.call('stop', undefined));
    await Promise.all(this.#threads.map(({ ended }) => ended));
  }

  #all<Made>(ask: (calls: OneThread['calls']) => Promise<Made>): Promise<Made[]> {
    return Promise.all(this.#threads.map(({ calls }) => ask(calls)));
  }
}
