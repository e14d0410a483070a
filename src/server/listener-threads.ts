/**
 * The first thread's view of the other threads that serve connections. If a thread runs out of
 * memory, it ends with its connections and is replaced.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { AppError } from '../common/errors/app-error.js';
import { thrownMessage } from '../common/errors/thrown-message.js';
import { freeSlots, querySlots } from '../operations/slots/query-gate.js';
import { joinedFigures, type ThreadFigures } from '../operations/thread-figures.js';
import { shareOf } from '../storage/native-storage.js';

import { answerForwarded } from './forwarded.js';
import { PortCalls } from './port-calls.js';

import type { Exchange, Share } from '../http/transport/transport.js';
import type { QueryThread } from '../operations/query.js';
import type { ListedQuery } from '../operations/slots/running-queries.js';
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
  /** Answers the requests that only the first thread can answer. */
  readonly service: { accept(exchange: Exchange): void };
  /** The JavaScript heap of each thread, in MiB. */
  readonly heapMb: number;
  /** True: a thread that runs out of memory is replaced. False: it ends the process. */
  readonly replaces: boolean;
  /** From now on, these threads receive connections, too. */
  readonly onServing: (shares: readonly Share[]) => void;
  /** The connections of the thread with that index are gone. */
  readonly onLost: (index: number) => void;
}

interface OneThread {
  readonly index: number;
  readonly worker: Worker;
  readonly calls: PortCalls<ListenerThreadCalls>;
  readonly ended: Promise<void>;
  /** The rules that it prepared last. */
  rules: ServingRules;
  /** The address of its listener; null until it serves. */
  address: number | null;
  /** The reason of its failure; null while it works. */
  fault: Error | null;
  /** Its figures at its end; null before. */
  last: ThreadFigures | null;
}

/** The longest time to end for a thread without work, in milliseconds. */
const kEndMs = 500;
/**
 * The delay before a replacement. A thread that fails at once must not keep the first thread busy.
 */
const kReplaceMs = 1_000;
const kTellMs = 60_000;

export class ListenerThreads {
  readonly #count: number;
  readonly #slots: Int32Array;
  #threads: OneThread[] = [];
  #options: ThreadsOptions | null = null;
  /** The rules in force on all threads. */
  #rules: ServingRules | null = null;
  #prepared: ServingRules | null = null;
  #serving: Promise<void> = Promise.resolve();
  /** By index: the last known figures of lost threads; missing if nothing asked for figures. */
  readonly #before = new Map<number, ThreadFigures>();
  readonly #asked = new Map<number, ThreadFigures>();
  #isStopping = false;
  #replacedCount = 0;
  #told = { at: -Infinity, count: 0 };

  /** `count` includes the first thread. */
  constructor(count: number) {
    this.#count = count;
    this.#slots = querySlots(count);
  }

  /** The index of the first thread among all threads. */
  get first(): QueryThread {
    return { index: 0, count: this.#count, slots: this.#slots };
  }

  /** The threads replaced since the start because they ran out of memory. */
  get replacedCount(): number {
    return this.#replacedCount;
  }

  /** Starts the threads one after the other. Each serves as soon as it is ready. */
  begin(rules: ServingRules, options: ThreadsOptions): void {
    this.#options = options;
    this.#rules = rules;
    this.#serving = this.#beginAll(options);
  }

  async #beginAll(options: ThreadsOptions): Promise<void> {
    for (let index = 1; index < this.#count; index += 1) await this.#beginOne(index, options);
  }

  async #beginOne(index: number, options: ThreadsOptions): Promise<void> {
    const rules = this.#rules;
    if (rules === null || this.#isStopping) return;
    const thread = this.#make(index, rules, options);
    this.#threads.push(thread);
    try {
      await thread.calls.call('prepare', rules);
      thread.address = await thread.calls.call('adopt', undefined);
    } catch (error) {
      const cause = thread.fault ?? error;
      const reason = thrownMessage(cause);
      options.log.write('error', 'a listener thread did not start', { index, reason });
      this.#threads = this.#threads.filter((one) => one !== thread);
      await thread.worker.terminate();
    }
    this.#tell();
  }

  #make(index: number, rules: ServingRules, options: ThreadsOptions): OneThread {
    const { settings } = rules;
    const { storage, service, addonPath, version, commit, port, gate, heapMb } = options;
    const workerData: ThreadData = {
      ...{ settings, addonPath, version, commit, port, gate },
      share: shareOf(storage),
      thread: { index, count: this.#count, slots: this.#slots },
    };
    const worker = new Worker(new URL('./load-listener.js', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    const calls = new PortCalls<ListenerThreadCalls>(worker, {
      answer: (request) => answerForwarded(service, request),
    } satisfies FirstThreadCalls);
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        calls.end(new AppError('closed', 'the thread has ended'));
        resolve();
      });
    });
    const ends = { address: null, fault: null, last: null };
    const thread: OneThread = { index, worker, calls, ended, rules, ...ends };
    worker.on('error', (error) => {
      thread.fault = error;
      this.#lose(thread, options);
    });
    return thread;
  }

  /** An uncaught error of that thread ends the process, as on this thread. */
  #lose(thread: OneThread, options: ThreadsOptions): void {
    const { index, fault, address } = thread;
    if (!options.replaces || !isOutOfMemory(fault)) {
      options.log.write('error', 'a listener thread failed', { index });
      throw fault ?? new Error('a listener thread failed');
    }
    // The thread did not start: the caller that waits for it gets the error.
    if (address === null) return;
    this.#threads = this.#threads.filter((one) => one !== thread);
    this.#tell();
    this.#serving = this.#serving.then(() => this.#replace(thread, options));
  }

  async #replace({ index, ended }: OneThread, options: ThreadsOptions): Promise<void> {
    await ended;
    freeSlots(this.#slots, index);
    options.onLost(index);
    const asked = this.#asked.get(index);
    if (asked !== undefined) this.#before.set(index, asked);
    this.#tellLost(options.log);
    await sleep(kReplaceMs);
    await this.#beginOne(index, options);
    this.#replacedCount += 1;
  }

  #tellLost(log: Log): void {
    this.#told.count += 1;
    if (performance.now() - this.#told.at < kTellMs) return;
    const message = 'a listener thread ran out of memory; its connections were closed';
    log.write('error', message, { count: this.#told.count });
    this.#told = { at: performance.now(), count: 0 };
  }

  #tell(): void {
    const shares = this.#threads.flatMap(({ address, calls }): readonly Share[] => {
      if (address === null) return [];
      const take = (descriptor: number): void => {
        // A thread that has ended closed its connections.
        void calls.call('take', descriptor).catch(() => undefined);
      };
      return [{ address, take }];
    });
    this.#options?.onServing(shares);
  }

  /** Rejects without any change if a thread cannot serve by these rules. */
  async prepare(rules: ServingRules): Promise<void> {
    await this.#serving;
    this.#prepared = rules;
    await this.#all(async (thread) => {
      await thread.calls.call('prepare', rules);
      thread.rules = rules;
    }, undefined);
  }

  /** Resolves when all threads serve by the prepared rules. */
  async adopt(): Promise<void> {
    const rules = this.#prepared;
    if (rules === null) throw new Error('nothing was prepared');
    this.#rules = rules;
    await this.#all(async (thread) => {
      // The thread started after prepare().
      if (thread.rules !== rules) await thread.calls.call('prepare', rules);
      thread.rules = rules;
      thread.address = await thread.calls.call('adopt', undefined);
    }, undefined);
    if (this.#threads.length > 0) this.#tell();
  }

  /** By index. For a lost thread, its last known figures. */
  async figures(): Promise<readonly ThreadFigures[]> {
    await this.#all(async ({ index, calls, last }) => {
      const measured = last ?? (await calls.call('figures', undefined));
      const before = this.#before.get(index);
      this.#asked.set(index, before === undefined ? measured : joinedFigures(before, measured));
    }, undefined);
    return [...this.#asked].sort(([one], [other]) => one - other).map(([, figures]) => figures);
  }

  /** In no particular order. */
  async listQueries(): Promise<readonly ListedQuery[]> {
    const ask = (calls: OneThread['calls']) => calls.call('listQueries', undefined);
    return (await this.#all(({ calls, last }) => (last === null ? ask(calls) : []), [])).flat();
  }

  /** False if no query with that number waits or runs. */
  async cancelQuery(id: bigint): Promise<boolean> {
    const ask = (calls: OneThread['calls']) => calls.call('cancelQuery', id);
    const otherwise = false;
    const found = await this.#all(
      ({ calls, last }) => (last === null ? ask(calls) : otherwise),
      otherwise,
    );
    return found.some((one) => one);
  }

  async forgetState(snapshot: string): Promise<void> {
    await this.#all(({ calls }) => calls.call('forgetState', snapshot), undefined);
  }

  /** Requests may finish within `leftMs`. */
  async stop(leftMs: () => number): Promise<void> {
    this.#isStopping = true;
    await this.#serving;
    await this.#all(async (thread) => {
      thread.last = await thread.calls.call('stop', leftMs());
      // A connection handed over at the last moment could keep the thread alive.
      await Promise.race([thread.ended, sleep(kEndMs, undefined, { ref: false })]);
      await thread.worker.terminate();
    }, undefined);
  }

  /** The results of all threads. For a thread that runs out of memory meanwhile, `otherwise`. */
  #all<Made>(ask: (thread: OneThread) => Made | Promise<Made>, otherwise: Made): Promise<Made[]> {
    return Promise.all(
      this.#threads.map(async (thread) => {
        try {
          return await ask(thread);
        } catch (error) {
          if (isOutOfMemory(thread.fault)) return otherwise;
          throw error;
        }
      }),
    );
  }
}

function isOutOfMemory(error: Error | null): boolean {
  return error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
