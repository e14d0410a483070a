/** A database in this process, with its HTTP API and the series of a script. */
import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { openNativeStorage } from '../../../src/storage/native-storage.js';
import { addonPath, optionsFor } from '../../native/addon.js';
import { startInjected, type InjectedServer } from '../../support/http-server.js';
import { snappy, writeRequest, type SentSeries } from '../../support/remote-write.js';
import { readSeries, type Labels, type NotedSeries } from './notation.js';

import type { Storage } from '../../../src/storage/storage.js';
import type { LoadStep } from './script.js';

const kStale = 0x7ff0000000000002n;

export interface PromAnswer {
  readonly status: number;
  readonly body: PromBody;
}

export interface PromBody {
  readonly status: string;
  readonly error?: string;
  readonly warnings?: readonly string[];
  readonly infos?: readonly string[];
  readonly data?: { readonly resultType: string; readonly result: unknown };
}

export class World {
  readonly #directory: string;
  readonly storage: Storage;
  readonly #server: InjectedServer;
  /** Series of the script that the database cannot store. */
  readonly natives: Labels[] = [];

  static async open(): Promise<World> {
    const directory = mkdtempSync(join(tmpdir(), 'seriesdb-promql-'));
    return new World(directory, await openNativeStorage(optionsFor(directory), addonPath));
  }

  private constructor(directory: string, storage: Storage) {
    this.#directory = directory;
    this.storage = storage;
    this.#server = startInjected({ on: storage });
  }

  async load({ lines, stepMs, hasNative }: LoadStep): Promise<void> {
    const series = lines.map(readSeries);
    for (const one of series) this.#noteNatives(one, hasNative);
    const sent = series.filter(({ isNative }) => !isNative).map((one) => sentOf(one, stepMs));
    await this.write(sent.filter(({ samples }) => samples.length > 0));
  }

  async write(series: readonly SentSeries[]): Promise<void> {
    const answer = await this.#server.ask('/api/v1/write', {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
      body: snappy(writeRequest(series)),
    });
    if (answer.status !== 204) throw new Error(`write: ${answer.status} ${await answer.text()}`);
  }

  #noteNatives({ labels, isNative }: NotedSeries, hasNative: boolean): void {
    if (isNative) this.natives.push(labels);
    const name = labels['__name__'] ?? '';
    if (!hasNative || !name.endsWith('_bucket')) return;
    const others = Object.fromEntries(Object.entries(labels).filter(([key]) => key !== 'le'));
    this.natives.push({ ...others, __name__: name.slice(0, -'_bucket'.length) });
  }

  async ask(path: string, parameters: Readonly<Record<string, string>>): Promise<PromAnswer> {
    const answer = await this.#server.ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(new URLSearchParams(parameters).toString()),
    });
    return { status: answer.status, body: (await answer.json()) as PromBody };
  }

  async close(): Promise<void> {
    this.#server.close();
    await this.storage.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function sentOf({ labels, values }: NotedSeries, stepMs: number): SentSeries {
  const samples: (readonly [number, number | bigint])[] = [];
  values.forEach((value, place) => {
    if (value !== null) samples.push([place * stepMs, value === 'stale' ? kStale : value]);
  });
  return { labels, samples };
}
