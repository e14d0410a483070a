/** A server under a flood of text queries while another client asks small questions. */

import { expect } from 'chai';

import { Client, type Answer, type RequestOptions } from './client.js';
import { seriesqlPath } from './long-query.js';
import { isSanitized, removeDirectory, startServer, temporaryDirectory } from './server.js';

import type { Server } from './server.js';

const kMiB = 1024 * 1024;
const kWide = 6000;

/** Series of one metric, told apart by `i`; each has a text `a` beside it. */
function wideLines(count: number): string {
  const line = (i: number): string =>
    `{"metric":"wide","labels":{"i":"${i}","a":"aaaaaaaaaa"},"ts":1000,"value":${i}}\n`;
  return Array.from({ length: count }, (_, i) => line(i)).join('');
}

interface Attacked {
  readonly answer: Answer;
  readonly cpuSeconds: number;
  /** The number of the other client's answers meanwhile, and its longest wait. */
  readonly answered: number;
  readonly slowestMs: number;
}

export class AttackedServer {
  readonly #dataDir: string;
  readonly #server: Server;
  readonly #client: Client;
  readonly #neighbour: Client;

  private constructor(dataDir: string, server: Server) {
    this.#dataDir = dataDir;
    this.#server = server;
    this.#client = new Client(server.port);
    this.#neighbour = new Client(server.port);
  }

  /** With 6,000 series of `wide`, and one of `one` whose label `a` has ten digits. */
  static async start(...args: readonly string[]): Promise<AttackedServer> {
    const dataDir = temporaryDirectory();
    const server = await startServer({ dataDir, args: ['--query-timeout-ms', '60000', ...args] });
    const made = new AttackedServer(dataDir, server);
    const one = '{"metric":"one","labels":{"a":"0123456789"},"ts":1000,"value":1}\n';
    const body = wideLines(kWide) + one;
    const stored = await made.#client.request('POST', '/api/v1/ingest', { body });
    expect(stored.status).to.equal(200);
    return made;
  }

  async end(): Promise<void> {
    this.#client.close();
    this.#neighbour.close();
    await this.#server.kill();
    removeDirectory(this.#dataDir);
  }

  /** Stores a series whose name and labels take `size` bytes together. */
  store(metric: string, key: string, size: number): Promise<Answer> {
    const [name, label] = [JSON.stringify(metric), JSON.stringify(key)];
    const text = 's'.repeat(size - `${metric}|{${label}:""}`.length);
    const body = `{"metric":${name},"labels":{${label}:"${text}"},"ts":1,"value":1}\n`;
    return this.#client.request('POST', '/api/v1/ingest', { body });
  }

  promql(query: string): Promise<Answer> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ query, time: '1' }).toString();
    return this.#client.request('POST', '/api/v1/query', { headers, body });
  }

  seriesql(body: string): Promise<Answer> {
    return this.#client.request('POST', seriesqlPath, { body });
  }

  post(path: string, options: RequestOptions): Promise<Answer> {
    return this.#client.request('POST', path, options);
  }

  /** The peak of memory so far. */
  peakBytes(): number {
    return this.#server.peakBytes();
  }

  /** How many of `count` attacks, all asked just before it, are answered before `statement`. */
  async answeredBefore(
    statement: string,
    { attack, count }: { readonly attack: string; readonly count: number },
  ): Promise<number> {
    let answered = 0;
    const ask = async (body: string): Promise<void> => {
      expect((await this.seriesql(body)).status).to.equal(200);
      answered += 1;
    };
    const attacks = Array.from({ length: count }, () => ask(attack));
    const polite = await this.#neighbour.request('POST', seriesqlPath, { body: statement });
    const before = answered;
    expect(polite.status).to.equal(200);
    await Promise.all(attacks);
    return before;
  }

  /** Runs the attack and checks that memory stays bounded meanwhile. */
  async attacked(attack: () => Promise<Answer>): Promise<Attacked> {
    const state = { isOver: false };
    const before = this.#server.cpuSeconds();
    const asked = attack().finally(() => {
      state.isOver = true;
    });
    let answered = 0;
    let slowestMs = 0;
    const small = 'select count(*) from one where time >= 0';
    while (!state.isOver) {
      const began = performance.now();
      const polite = await this.#neighbour.request('POST', seriesqlPath, { body: small });
      expect(polite.status).to.equal(200);
      answered += 1;
      slowestMs = Math.max(slowestMs, performance.now() - began);
    }
    const answer = await asked;
    const cpuSeconds = this.#server.cpuSeconds() - before;
    if (!isSanitized) expect(this.#server.peakBytes()).to.be.below(1536 * kMiB);
    return { answer, cpuSeconds, answered, slowestMs };
  }
}

interface ErrorAnswer {
  readonly error?: string;
  readonly message?: string;
}

/** The error message in either language; empty if there is no error. */
export function sentenceOf({ body }: Answer): string {
  const { error, message } = JSON.parse(body) as ErrorAnswer;
  return error ?? message ?? '';
}

export function requireRefused(answer: Answer, sentence: RegExp): void {
  expect(answer.status, answer.body.slice(0, 200)).to.equal(422);
  expect(sentenceOf(answer)).to.match(sentence);
}

/** Requires at least one answer in each 250 ms of work. */
export function requireTurns({ answered, cpuSeconds }: Attacked): void {
  expect(answered, `${cpuSeconds} s`).to.be.above(4 * cpuSeconds);
}
