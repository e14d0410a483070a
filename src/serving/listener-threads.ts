/** The threads that serve connections beside the first one, as that one sees them. */

import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { AppError } from '../errors/app-error.js';
import { queryPlaces } from '../operations/places/query-gate.js';
import { shareOf } from '../storage/native-storage.js';

import { answerForwarded } from './forwarded.js';
import { PortCalls } from './port-calls.js';

import type { Exchange, Share } from '../http/transport/transport.js';
import type { QueryThread } from '../operations/query.js';
import type { ListedQuery } from '../operations/places/running-queries.js';
import type { ThreadFigures } from '../operations/thread-figures.js';
import type { Storage } from '../storage/storage.js';
import type { Log } from '../telemetry/log.js';
import type {
  FirstThreadCalls,
  ListenerThreadCalls,
  ServingRules,
  ThreadData,
} from './thread-calls.js';

interface ThreadsOptions extends Omit<ThreadData, 'share' | 'settings' | 'thread'> {
  readonly storage: Storage;
  readonly log: Log;
  /** Answers what only the first thread can. */
  readonly service: { accept(exchange: Exchange): void };
  /** From now on connections go to these, too. */
  readonly onServing: (shares: readonly Share[]) => void;
}

interface OneThread {
  readonly worker: Worker;
  readonly calls: PortCalls<ListenerThreadCalls>;
  readonly ended: Promise<void>;
  /** Of its listener; null until it serves. */
  address: number | null;
  /** What it measured until its end. */
  last: ThreadFigures | null;
}

/** So long a thread that has nothing left to do may take to end. */
const kEndMs = 500;

export class ListenerThreads {
  readonly #count: number;
  readonly #places: Int32Array;
  #threads: OneThread[] = [];
  #options: ThreadsOptions | null = null;
  #serving: Promise<void> = Promise.resolve();

  /** `count` with the first thread. */
  constructor(count: number) {
    this.#count = count;
    this.#places = queryPlaces(count);
  }

  /** The first thread among all. */
  get first(): QueryThread {
    return { index: 0, count: this.#count, places: this.#places };
  }

  /** They serve when they are ready, one after the other. */
  begin(rules: ServingRules, options: ThreadsOptions): void {
    this.#options = options;
    this.#serving = this.#beginAll(rules, options);
  }

  async #beginAll(rules: ServingRules, options: ThreadsOptions): Promise<void> {
    for (let index = 1; index < this.#count; index += 1) {
      const thread = this.#make(index, rules, options);
      this.#threads.push(thread);
      try {
        await thread.calls.call('prepare', rules);
        thread.address = await thread.calls.call('adopt', undefined);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        options.log.write('error', 'a listener thread did not start', { index, reason });
        this.#threads = this.#threads.filter((one) => one !== thread);
        await thread.worker.terminate();
      }
      this.#tell();
    }
  }

  #make(index: number, { settings }: ServingRules, options: ThreadsOptions): OneThread {
    const { storage, service, log, addonPath, version, commit, port, gate } = options;
    const workerData: ThreadData = {
      ...{ settings, addonPath, version, commit, port, gate },
      share: shareOf(storage),
      thread: { index, count: this.#count, places: this.#places },
    };
    const worker = new Worker(new URL('./load-listener.js', import.meta.url), { workerData });
    const calls = new PortCalls<ListenerThreadCalls>(worker, {
      answer: (request) => answerForwarded(service, request),
    } satisfies FirstThreadCalls);
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        calls.end(new AppError('closed', 'the thread has ended'));
        resolve();
      });
    });
    // What nobody caught there ends the process, as it does on this thread.
    worker.on('error', (error) => {
      log.write('error', 'a listener thread failed', { index });
      throw error;
    });
    return { worker, calls, ended, address: null, last: null };
  }

  #tell(): void {
    const shares = this.#threads.flatMap(({ address, calls }): readonly Share[] => {
      if (address === null) return [];
      const take = (descriptor: number): void => {
        // A thread that has ended took its connections with it.
        void calls.call('take', descriptor).catch(() => undefined);
      };
      return [{ address, take }];
    });
    this.#options?.onServing(shares);
  }

  /** Rejects, having changed nothing, where a thread cannot serve by these rules. */
  async prepare(rules: ServingRules): Promise<void> {
    await this.#serving;
    await this.#all(({ calls }) => calls.call('prepare', rules));
  }

  /** Resolves when all serve by what was prepared. */
  async adopt(): Promise<void> {
    await this.#all(async (thread) => {
      thread.address = await thread.calls.call('adopt', undefined);
    });
    if (this.#threads.length > 0) this.#tell();
  }

  figures(): Promise<readonly ThreadFigures[]> {
    return this.#all(async ({ calls, last }) => last ?? calls.call('figures', undefined));
  }

  /** In no order. */
  async listQueries(): Promise<readonly ListedQuery[]> {
    const ask = (calls: OneThread['calls']) => calls.call('listQueries', undefined);
    return (await this.#all(({ calls, last }) => (last === null ? ask(calls) : []))).flat();
  }

  /** False where none of that number waits or runs. */
  async cancelQuery(id: bigint): Promise<boolean> {
    const found = await this.#all(
      ({ calls, last }) => last === null && calls.call('cancelQuery', id),
    );
    return found.some((one) => one);
  }

  async forgetState(snapshot: string): Promise<void> {
    await this.#all(({ calls }) => calls.call('forgetState', snapshot));
  }

  /** Requests may finish for as long as `leftMs` says. */
  async stop(leftMs: () => number): Promise<void> {
    await this.#serving;
    await this.#all(async (thread) => {
      thread.last = await thread.calls.call('stop', leftMs());
      // A connection that was handed over at the last moment would keep it.
      await Promise.race([thread.ended, sleep(kEndMs, undefined, { ref: false })]);
      await thread.worker.terminate();
    });
  }

  #all<Made>(ask: (thread: OneThread) => Made | Promise<Made>): Promise<Made[]> {
    return Promise.all(this.#threads.map(async (thread) => ask(thread)));
  }
}
