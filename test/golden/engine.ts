/** A database driven for the golden directories: fed, read and closed. */
import { databaseTime, kFirstTime, kLastTime } from '../../src/common/model/timestamp-unit.js';
import { addon, bytesOf, commit, freshDirectory, optionsFor } from '../native/addon.js';
import { readResponse, unsnappy } from '../support/remote-read.js';
import { writeRequest, type SentSeries } from '../support/remote-write.js';

import type {
  NativeEngine,
  NativeEngineOptions,
  NativeJsonReader,
} from '../../src/storage/native/contract.js';
import type { NativeRetentionRule } from '../../src/storage/native/retention-contract.js';
import type { Point } from './outcome.js';

export type ReadMode = NativeEngineOptions['metadataReadMode'];

export const dayMs = 86_400_000;
const allTime = { start: kFirstTime, end: kLastTime } as const;

/** All that it tells. */
export async function drain(reader: NativeJsonReader): Promise<string> {
  return (await bytesOf(reader)).toString();
}

export class GoldenDatabase {
  readonly directory: string;
  readonly #retention: readonly NativeRetentionRule[];
  readonly #metadataReadMode: ReadMode;
  readonly #maxSeries: number;
  #engine: NativeEngine | null = null;

  constructor(
    directory = freshDirectory(),
    retention: readonly NativeRetentionRule[] = [],
    metadataReadMode: ReadMode = 'primary',
    maxSeries = 0,
  ) {
    this.directory = directory;
    this.#retention = retention;
    this.#metadataReadMode = metadataReadMode;
    this.#maxSeries = maxSeries;
  }

  async open(): Promise<void> {
    this.#engine = await addon.openEngine(
      optionsFor(this.directory, {
        fsync: 'always',
        retention: this.#retention,
        metadataReadMode: this.#metadataReadMode,
        maxSeries: this.#maxSeries,
      }),
    );
  }

  async close(): Promise<void> {
    await this.engine.close();
    this.#engine = null;
  }

  get engine(): NativeEngine {
    if (this.#engine === null) throw new Error('the database is not open');
    return this.#engine;
  }

  /** One request: `count` samples of each metric from `first` on, their ts for a value or this. */
  async ingest(
    metrics: readonly string[],
    first: number,
    count: number,
    value?: number,
  ): Promise<void> {
    const request = this.engine.beginIngest({ precision: 'ms', isLenient: false });
    const lines = metrics.flatMap((metric) =>
      Array.from({ length: count }, (_, index) => {
        const ts = first + index;
        return `${JSON.stringify({ metric, ts, value: value ?? ts })}\n`;
      }),
    );
    request.write(Buffer.from(lines.join('')));
    await commit(request);
  }

  /** One request of remote_write. */
  async receive(series: readonly SentSeries[]): Promise<void> {
    const format = { kind: 'remote_write' } as const;
    const options = { precision: 'ms', isLenient: false, format } as const;
    const request = this.engine.beginIngest(options);
    request.write(writeRequest(series));
    await commit(request);
  }

  /** A new note, or other words for one. */
  async annotate(title: string, changes = 0n): Promise<void> {
    const note = { kind: 'deploy', title, message: null, metric: null, labels: [] };
    await this.engine.change({
      change: 'annotation',
      changes,
      ...note,
      start: databaseTime(1n),
      end: databaseTime(2n),
    });
  }

  async deleteNote(id: bigint): Promise<void> {
    await this.engine.change({ change: 'deletion', id });
  }

  async remove(metric: string, start: bigint, end: bigint): Promise<void> {
    const series = BigUint64Array.of(await this.#idOf(metric));
    const ranges = BigInt64Array.of(start, end);
    await this.engine.change({ change: 'removal', series, ranges, seriesMax: Infinity });
  }

  /** From a time on, or all of them. */
  async samplesOf(metric: string, from: number | null): Promise<readonly Point[]> {
    const start = from === null ? allTime.start : databaseTime(BigInt(from));
    const selector = { name: metric, labels: null };
    const question = { answer: 'range', selector, start, end: allTime.end } as const;
    const text = await drain(this.engine.openAnswer(question));
    const rows = JSON.parse(text) as readonly {
      readonly ts: number;
      readonly value: number | null;
    }[];
    return rows.map(({ ts, value }) => [ts, value]);
  }

  /** What remote_read gives of a metric that is no finite number. */
  async specialBitsOf(metric: string): Promise<readonly (readonly [number, string])[]> {
    const filter = { namePrefix: null, names: [metric], terms: [], isAny: false };
    const limits = {
      isStreamed: false,
      isEscaped: false,
      seriesMax: Infinity,
      samplesMax: Infinity,
    };
    const queries = [{ filter, ...allTime }];
    const reader = this.engine.openAnswer({ answer: 'remoteRead', queries, ...limits });
    const found = readResponse(unsnappy(await bytesOf(reader))).flat();
    return found
      .flatMap(({ samples }) => samples)
      .filter(({ value }) => !Number.isFinite(value))
      .map(({ ts, bits }) => [Number(ts), bits.toString(16)]);
  }

  /** Over the same time as samplesOf. */
  async sumOf(metric: string, from: number | null): Promise<number | null> {
    const start = from === null ? allTime.start : databaseTime(BigInt(from));
    const text = await drain(
      this.engine.openAnswer({
        answer: 'comparison',
        aggregate: 'sum',
        selector: { name: metric, labels: null },
        ...{ start, end: allTime.end, baselineStart: start, baselineEnd: allTime.end },
      }),
    );
    const { current } = JSON.parse(text) as { readonly current: { readonly value: number | null } };
    return current.value;
  }

  /** The title of each by its id. */
  async notes(): Promise<Readonly<Record<string, string>>> {
    const any = { kind: null, metric: null, labels: [], isAnyLabel: false, limit: null };
    const text = await drain(this.engine.openAnswer({ answer: 'annotations', ...allTime, ...any }));
    const found = JSON.parse(text) as readonly { readonly id: number; readonly title: string }[];
    return Object.fromEntries(found.map(({ id, title }) => [id, title]));
  }

  async #idOf(metric: string): Promise<bigint> {
    const filter = { namePrefix: null, names: [metric], terms: [], isAny: false };
    const none = { labelKey: '', valuePrefix: '', inactiveBefore: null };
    const text = await drain(
      this.engine.openAnswer({ answer: 'series', filter, ...none, limit: Infinity }),
    );
    const found = /"series_id":"?(\d+)/.exec(text)?.[1];
    if (found === undefined) throw new Error(`no series has the name ${metric}`);
    return BigInt(found);
  }
}
