/** The addon under test, and helpers that its tests share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { databaseTime, milliseconds } from '../../src/common/model/timestamp-unit.js';
import {
  type NativeEngine,
  type NativeEngineOptions,
  type NativeJsonReader,
  type NativeSelector,
} from '../../src/storage/native/contract.js';
import {
  type NativeIngest,
  type NativeIngestReport,
} from '../../src/storage/native/ingest-contract.js';
import { loadAddon } from '../../src/storage/native/load.js';

/** The built addon, or the one that SDB_TEST_ADDON names, for example with sanitizers. */
export const addonPath: string | undefined = process.env['SDB_TEST_ADDON'];

export const addon = loadAddon(addonPath);

export const strict = { precision: 'ms', isLenient: false } as const;

const directories: string[] = [];

export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'seriesdb-native-'));
  directories.push(directory);
  return directory;
}

/** For an `after` hook. */
export function removeDirectories(): void {
  for (const directory of directories.splice(0)) {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Options of an engine that flushes only on request. */
export function optionsFor(
  directory: string,
  changes: Partial<NativeEngineOptions> = {},
): NativeEngineOptions {
  return {
    directory,
    timestampUnit: 'ms',
    fsync: 'none',
    fsyncIntervalMs: milliseconds(1000),
    memtableMaxBytes: 64 << 20,
    flushIntervalMs: milliseconds(0),
    historyKeepMs: milliseconds(0),
    memoryLimitBytes: 256 << 20,
    maxLineBytes: 1 << 16,
    maxBodyBytes: 256 << 20,
    maxFutureSkew: databaseTime(-1n),
    retention: [],
    maxSeries: 0,
    maxSeriesPerMetric: 0,
    allocator: 'system',
    casMode: 'dual_write',
    metadataReadMode: 'primary',
    isCompacting: false,
    isReadOnly: false,
    past: null,
    beside: null,
    bucket: null,
    compactionFactor: 8,
    listeners: 1,
    ...changes,
  };
}

/** `count` lines of the metric `m`, with ts and value from `first` on. */
export function linesFrom(first: number, count: number): Uint8Array {
  const lines = Array.from({ length: count }, (_, index) => {
    const at = String(first + index);
    return `{"metric":"m","labels":{},"ts":${at},"value":${at}}\n`;
  });
  return new TextEncoder().encode(lines.join(''));
}

/** Commits the body and returns its report when it is stored. */
export async function commit(body: NativeIngest): Promise<NativeIngestReport> {
  return new Promise((resolve, reject) => {
    body.commit((ingested, lines, told) => {
      if (told instanceof Error) reject(told);
      else resolve(told ?? { ...plain, ingested, lines });
    });
  });
}

const plain = { rejected: 0, rejectedBy: [], errors: [], skipped: [] } as const;

export async function ingest(engine: NativeEngine, first: number, count: number): Promise<void> {
  await store(engine, linesFrom(first, count));
}

/** Stores lines in one request. */
export async function store(engine: NativeEngine, lines: string | Uint8Array): Promise<void> {
  const request = engine.beginIngest(strict);
  request.write(typeof lines === 'string' ? Buffer.from(lines) : lines);
  await commit(request);
}

/** Opens one engine for the tests of a suite; `use` receives it before they run. */
export function duringSuite(use: (engine: NativeEngine) => void | Promise<void>): void {
  let engine: NativeEngine;
  before(async () => {
    engine = await addon.openEngine(optionsFor(freshDirectory()));
    await use(engine);
  });
  after(async () => {
    await engine.close();
    removeDirectories();
  });
}

/** Merges every segment that can be merged. */
export async function compact(engine: NativeEngine): Promise<void> {
  const reader = engine.openAnswer({ answer: 'compaction' });
  // Each call returns the progress so far without waiting.
  while ((await reader.next()) !== null) await pause(1);
}

export function openRange(
  engine: NativeEngine,
  selector: NativeSelector,
  start: bigint,
  end: bigint,
): NativeJsonReader {
  const range = { start: databaseTime(start), end: databaseTime(end) };
  return engine.openAnswer({ answer: 'range', selector, ...range });
}

export function openAll(engine: NativeEngine): NativeJsonReader {
  return openRange(engine, { name: 'm', labels: null }, -(2n ** 63n), 2n ** 63n - 1n);
}

/** All pieces of an answer. */
export async function bytesOf(reader: NativeJsonReader): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let piece = await reader.next(); piece !== null; piece = await reader.next()) {
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}

export async function readAll(reader: NativeJsonReader): Promise<{ ts: number; value: number }[]> {
  return JSON.parse((await bytesOf(reader)).toString()) as { ts: number; value: number }[];
}

function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `not an error: ${String(thrown)}`;
  return 'code' in thrown ? String(thrown.code) : `${thrown.name}: ${thrown.message}`;
}

/** The code that a call throws, or `returned`. */
export function thrownBy(call: () => unknown): string {
  try {
    call();
    return 'returned';
  } catch (error) {
    return codeOf(error);
  }
}

/** The code of a promise's rejection, or `resolved`. A synchronous throw counts as no code. */
export async function rejectedBy(call: () => Promise<unknown>): Promise<string> {
  let promise;
  try {
    promise = call();
  } catch (error) {
    return `thrown: ${codeOf(error)}`;
  }
  return promise.then(() => 'resolved', codeOf);
}

/** One value of every kind, except those that `isRight` accepts, cast to the wanted type. */
export function wrongValues<T>(isRight: (value: unknown) => boolean): T[] {
  const every = [undefined, null, true, 1, -1, NaN, '', 'x', 1n, Symbol('s'), [], {}, () => 0];
  return every.filter((value) => !isRight(value)) as T[];
}
