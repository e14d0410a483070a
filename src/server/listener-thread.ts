/**
 * A thread that serves a share of the public connections. It has its own routes, operations and
 * parsers over the engine that the first thread opened. The first thread accepts the connections,
 * and answers requests that only it can.
 */

import { parentPort, workerData } from 'node:worker_threads';

import { pastOpener } from '../open-storage.js';
import { joinNativeStorage } from '../storage/native-storage.js';
import { standardLog } from '../telemetry/log.js';

import { joinGate } from './gate.js';
import { PortCalls } from './port-calls.js';
import { chooseTransport } from './choose-transport.js';
import { PublicSide } from './public-side.js';

import type { Settings } from '../config/settings.js';
import type { Exchange, Serving, SharingListener } from '../http/transport/transport.js';
import type { Storage } from '../storage/storage.js';
import type {
  FirstThreadCalls,
  ListenerThreadCalls,
  ServingRules,
  ThreadData,
} from './thread-calls.js';

type ParentPort = NonNullable<typeof parentPort>;

class ListenerThread {
  readonly #data: ThreadData;
  readonly #log;
  readonly #storage: Storage;
  readonly #public: PublicSide;
  readonly #port: ParentPort;
  #first: PortCalls<FirstThreadCalls> | null = null;
  #settings: Settings;
  #listener: SharingListener | null = null;
  #prepared: (() => number) | null = null;

  constructor(data: ThreadData, port: ParentPort) {
    const { settings, addonPath, share, version, commit, thread } = data;
    this.#data = data;
    this.#port = port;
    this.#settings = settings;
    this.#log = standardLog(settings.log_level);
    const storage = joinNativeStorage(share, addonPath);
    this.#storage = storage;
    this.#public = new PublicSide({
      settings: () => this.#settings,
      storage,
      openState: pastOpener(settings, storage, addonPath),
      log: this.#log,
      ...{ version, commit, thread },
      port: () => data.port,
      page: null,
      facts: { degradedReasons: [], refusedConnections: 0, replacedListeners: 0 },
      forward: (exchange) => this.#forward(exchange),
    });
  }

  /** Serves the calls of the first thread from now on. */
  listen(): void {
    const offered: ListenerThreadCalls = {
      prepare: (rules) => {
        this.#prepare(rules);
      },
      adopt: () => this.#adopt(),
      take: (descriptor) => {
        this.#listener?.take(descriptor);
      },
      figures: () => this.#public.operations.figures(),
      listQueries: () => this.#public.operations.listQueries(),
      cancelQuery: (id) => this.#public.operations.cancelQuery(id),
      forgetState: (snapshot) => this.#public.operations.forgetState(snapshot),
      stop: async (graceMs) => {
        await this.#stop(graceMs);
        this.#port.unref();
        return this.#public.operations.figures();
      },
    };
    this.#first = new PortCalls(this.#port, offered);
  }

  #prepare({ settings, tokens, tls }: ServingRules): void {
    const before = this.#listener;
    const listener = before ?? this.#serve(tls);
    const renew = before === null || tls === null ? null : before.prepareTls(tls);
    const adopt = this.#public.prepare(settings, tokens);
    this.#prepared = () => {
      renew?.();
      this.#listener = listener;
      this.#settings = settings;
      this.#log.setLevel(settings.log_level);
      adopt();
      return listener.address;
    };
  }

  #adopt(): number {
    if (this.#prepared === null) throw new Error('nothing was prepared');
    return this.#prepared();
  }

  #serve(tls: Serving['tls']): SharingListener {
    const { gate, settings, addonPath, thread } = this.#data;
    const { everybody } = joinGate(this.#log, gate, thread.index);
    return chooseTransport(settings, addonPath).share({
      tls,
      connections: everybody,
      unread: this.#public.unread,
      accept: (exchange) => {
        this.#public.service.accept(exchange);
      },
    });
  }

  async #forward(exchange: Exchange): Promise<void> {
    const request = { head: exchange.head, peerAddress: exchange.peerAddress() };
    const answer = await this.#first?.call('answer', request);
    if (answer) exchange.answer(answer.head, answer.body, { closes: answer.closes });
    else exchange.cut();
  }

  async #stop(graceMs: number): Promise<void> {
    await this.#public.drain(graceMs);
    this.#listener?.close();
    await this.#public.operations.close();
    await this.#storage.close();
  }
}

function begin(): void {
  // Not a program: without a parent thread there is nothing to serve.
  if (parentPort === null) throw new Error('listener-thread is started by the server');
  new ListenerThread(workerData as ThreadData, parentPort).listen();
}

begin();
