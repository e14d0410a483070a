/** Builds everything and hands it over; carries the signals of the process to the server. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';

import { thrownMessage } from './common/errors/thrown-message.js';
import { readPieces, type Directories } from './cli/session/directories.js';
import { processTerminal } from './cli/session/process-terminal.js';
import { runProgram } from './cli/program.js';
import { listenerCount } from './config/listener-count.js';
import { serviceLinks } from './config/from-env.js';
import { resolveSettings } from './config/resolve.js';
import { pendingKeys } from './config/show.js';
import { Database } from './embed/database.js';
import { PageFiles } from './http/page/page-files.js';
import { headerSizeMax, headerSizeVariable } from './http/transport/uws-transport.js';
import { printListenAddress } from './common/model/listen-address.js';
import { timeRange } from './common/model/time-range.js';
import { describedMetrics, seriesFilter } from './operations/discovery.js';
import { openExport } from './operations/export.js';
import { lineProtocolOf } from './common/model/ingest-line.js';
import { defaultQuerySettings } from './operations/query.js';
import { Guard } from './query/limits/guard.js';
import { openBackups, scheduleOf } from './open-backups.js';
import { openDirectory, openFromSettings, pastOpener } from './open-storage.js';
import { serveStore } from './bucket/serve-store.js';
import { storeOf } from './store-of.js';
import {
  makeNativeStore,
  openNativePreview,
  openNativeReport,
  openNativeWork,
} from './storage/native-storage.js';
import { chooseTransport } from './server/choose-transport.js';
import { checkFree } from './server/free-address.js';
import { openGate } from './server/gate.js';
import { filesFrom, openWarnings } from './server/public-side.js';
import { logReload, logReloadFault, startServer, type RunningServer } from './start-server.js';
import { standardLog, type LeveledLog } from './telemetry/log.js';
import { memoryWarning } from './telemetry/process-memory.js';
import { outliveOutput, outliveReaders } from './telemetry/standard-error.js';

import type { OwnBucket } from './open-bucket.js';
import type { Settings } from './config/settings.js';
import type { ExportSource } from './cli/session/directories.js';
import type { Terminal } from './cli/session/terminal.js';
import type { SettingsSource } from './config/live-settings.js';
import type { TimestampUnit } from './common/model/timestamp-unit.js';
import type { Transport } from './http/transport/transport.js';
import type { Storage } from './storage/storage.js';

/** SERIESDB_ prefixes a setting; this names another build of the addon, for the sanitizers. */
const kAddonVariable = 'SDB_TEST_ADDON';

/** For tests: MiB of JavaScript's heap of each listener thread. */
const kHeapVariable = 'SDB_TEST_LISTENER_HEAP';

/** Runs until SIGTERM or SIGINT; resolves with the exit code. */
async function serve(source: SettingsSource): Promise<number> {
  const { settings } = source.resolved;
  outliveOutput();
  const log = standardLog(settings.log_level);
  const { file } = source.resolved;
  if (file !== null) {
    const from = path.resolve(file);
    log.write('info', 'settings are read from a file', { file: from });
    process.stdout.write(`seriesdb settings from ${from}\n`);
  }
  for (const warning of [...openWarnings(settings), memoryWarning(settings.memory_limit_bytes)]) {
    if (warning !== null) log.write('warn', warning);
  }
  for (const name of serviceLinks(process.env)) {
    log.write('warn', 'ignored this variable: it looks like a service link of the platform', {
      name,
    });
  }
  for (const key of pendingKeys(source.resolved)) {
    log.write('warn', 'this setting has no effect yet', { key });
  }
  const signal = nextSignal();
  let server: RunningServer | null = null;
  // From the start on, since a SIGHUP that nobody takes ends the process.
  const reload = (): void => {
    if (server !== null) void reloadBySignal(server, log);
  };
  process.on('SIGHUP', reload);
  const addonPath = process.env[kAddonVariable];
  scheduleOf(settings, process.env);
  process.env[headerSizeVariable] ??= headerSizeMax;
  const transport = chooseTransport(settings, addonPath);
  // Before the storage, which would take missing descriptors for missing files.
  const wanted = listenerCount(settings);
  const { gate, listeners } = await openGate(log, wanted);
  const began = performance.now();
  // A start that cannot listen leaves no new directory behind, and takes no bucket from its owner.
  const takes = !existsSync(settings.data_dir) || settings['bucket.url'] !== null;
  if (takes) await checkFree(settings.listen);
  const bucket = await bucketFor({ settings, addonPath, log, signal });
  if (bucket === 'interrupted') return 0;
  const opening = openFromSettings(settings, addonPath, {
    listeners,
    bucket: bucket?.options ?? null,
  });
  const page = settings.ui ? openPage(log) : null;
  const storage = await opening.catch(async (error: unknown) => {
    await bucket?.close();
    throw error;
  });
  log.write('info', 'the database is open', {
    version: packageVersion(),
    directory: path.resolve(settings.data_dir),
    ...openedFigures(storage.stats()),
    ms: Math.round(performance.now() - began),
  });
  if (storage.note !== '') log.write('warn', storage.note);
  const openState = pastOpener(settings, storage, addonPath);
  const build = { version: packageVersion(), commit: compiledCommit(), addonPath };
  const listenerHeapMb = heapMbOf(process.env[kHeapVariable]);
  const serving = { transport, listeners, listenerHeapMb, gate, page };
  const backups = openBackups({ settings, environment: process.env, storage, addonPath, log });
  const parts = { storage, openState, bucket, backups, log, ...serving };
  server = await startServer({ source, ...parts, ...build });
  announce(server, { log, transport, isTls: settings.tls_cert !== null });
  const name = await signal;
  return stop(server, log, name);
}

interface BucketRequest {
  readonly settings: Settings;
  readonly addonPath: string | undefined;
  readonly log: LeveledLog;
  /** Ends the wait for a store that does not answer. */
  readonly signal: Promise<string>;
}

/** The bucket that the settings name, or null. */
async function bucketFor({
  signal,
  ...wanted
}: BucketRequest): Promise<OwnBucket | null | 'interrupted'> {
  if (wanted.settings['bucket.url'] === null) return null;
  const { openBucket } = await import('./open-bucket.js');
  const ended = new AbortController();
  void signal.then(() => {
    ended.abort();
  });
  try {
    return await openBucket({ ...wanted, environment: process.env, signal: ended.signal });
  } catch (error) {
    if (ended.signal.aborted) return 'interrupted';
    throw error;
  }
}

/**
 * A thread of its own needs no more than the whole process would have had: an interpreted query may
 * hold a gigabyte.
 */
function heapMbOf(given = ''): number {
  if (given !== '') return Number(given);
  return Math.min(2048, Math.floor(getHeapStatistics().heap_size_limit / (1024 * 1024)));
}

/** What there is, and what the log of writes gave back that no segment had. */
function openedFigures(stats: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const of = (key: string): number => stats[key] ?? 0;
  return {
    series: of('series'),
    samples: of('segment_samples') + of('memtable_samples'),
    segments: of('segments'),
    replayed_samples: of('memtable_samples'),
    torn_tails: of('wal_torn_tails_total'),
  };
}

async function reloadBySignal(server: RunningServer, log: LeveledLog): Promise<void> {
  try {
    logReload(log, await server.reload());
  } catch (error) {
    logReloadFault(log, error);
  }
}

interface Announced {
  readonly log: LeveledLog;
  readonly transport: Transport;
  readonly isTls: boolean;
}

function announce(server: RunningServer, { log, transport, isTls }: Announced): void {
  const scheme = isTls ? 'https' : 'http';
  if (server.adminAddress !== null) {
    const admin = printListenAddress(server.adminAddress);
    log.write('info', 'the admin listener is on', { address: admin });
    process.stdout.write(`seriesdb admin on ${scheme}://${admin}\n`);
  }
  const address = printListenAddress(server.address);
  log.write('info', 'listening', { address, transport: transport.name, tls: isTls });
  process.stdout.write(`seriesdb ${packageVersion()} listening on ${scheme}://${address}\n`);
}

async function stop(server: RunningServer, log: LeveledLog, signal: string): Promise<number> {
  log.write('info', 'stopping', { signal });
  try {
    await server.stop();
  } catch (error) {
    const reason = thrownMessage(error);
    log.write('error', 'the database did not stop cleanly', { reason });
    return 1;
  }
  log.write('info', 'stopped');
  return 0;
}

/** A second signal finds no handler, and so ends the process at once. */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    const names = ['SIGTERM', 'SIGINT'] as const;
    const take = (name: string): void => {
      for (const other of names) process.removeListener(other, take);
      resolve(name);
    };
    for (const name of names) process.on(name, take);
  });
}

/** The compiled file is in dist/src; the package's own file is two levels up. */
function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const parsed: unknown = JSON.parse(text);
  const hasVersion = typeof parsed === 'object' && parsed !== null && 'version' in parsed;
  return hasVersion ? String(parsed.version) : 'unknown';
}

/** What scripts/ui/build.mjs made, beside the compiled files. */
function openPage(log: LeveledLog): PageFiles | null {
  const page = PageFiles.open(new URL('../ui/', import.meta.url));
  if (page === null) log.write('warn', 'the built-in page was not built, and is not served');
  return page;
}

/** What scripts/setup.mjs wrote beside the compiled files. */
function compiledCommit(): string {
  try {
    return readFileSync(new URL('../commit.txt', import.meta.url), 'utf8').trim();
  } catch {
    // Compiled by hand, or from a source without git.
    return 'unknown';
  }
}

/** `argv` without node and script. Resolves with the exit code. */
export function run(argv: readonly string[]): Promise<number> {
  outliveReaders();
  return runAt(processTerminal(process.env), argv);
}

/** The same at another terminal. `serve` takes signals and output of the process in any case. */
export function runAt(terminal: Terminal, argv: readonly string[]): Promise<number> {
  return runProgram(argv, {
    version: packageVersion(),
    serve,
    terminal,
    verify: (settings) => {
      filesFrom(settings);
      storeOf(settings, process.env);
      scheduleOf(settings, process.env);
    },
    directories: directoriesBy(process.env[kAddonVariable]),
    packageFolder: fileURLToPath(new URL('../../', import.meta.url)),
  });
}

function directoriesBy(addonPath: string | undefined): Directories {
  return {
    openPreview: ({ at, ...request }) => {
      const format = lineProtocolOf(at);
      const preview = { report: 'preview', ...request, format, isLenient: true } as const;
      return openNativePreview(preview, addonPath);
    },
    serveStore: (store) => serveStore(makeNativeStore(addonPath), store),
    openReport: (request) => openNativeReport(request, addonPath),
    openRestore: (request) => openNativeWork({ report: 'restore', ...request }, addonPath),
    openRepair: (request) => openNativeWork({ report: 'repair', ...request }, addonPath),
    open: async (directory, settings) =>
      (await openDirectory(directory, { isReadOnly: false, addonPath, settings })).storage,
    openScratch: async (directory) => {
      const values = { data_dir: directory, timestamp_unit: 'ms' };
      const { settings } = resolveSettings({ file: new Map(Object.entries(values)) });
      const storage = await openFromSettings(settings, addonPath);
      const database = new Database(storage, settings.timestamp_unit);
      return {
        kernel: storage.kernel,
        ingest: (lines) => database.ingest(lines),
        range: (asked) => database.range(asked),
        close: () => database.close(),
      };
    },
    openForLoading: async (directory, settings) => {
      const options = { isReadOnly: false, addonPath, settings } as const;
      const { storage, unit } = await openDirectory(directory, options);
      const database = new Database(storage, unit);
      return {
        unit,
        ingest: (lines, asked) => database.ingest(lines, asked),
        importCsv: (rows, form) => database.importCsv(rows, form),
        close: () => database.close(),
      };
    },
    openForReading: async (directory, asOf, settings) => {
      const given = settings === undefined ? {} : { settings };
      const options = { isReadOnly: true, asOf, addonPath, ...given } as const;
      const { storage, unit } = await openDirectory(directory, options);
      return {
        unit,
        note: storage.note,
        source: exportSourceOf(storage, unit),
        collect: (request) => storage.collect(request),
        openUndelete: (request) => storage.openUndelete(request),
        close: () => storage.close(),
      };
    },
  };
}

function exportSourceOf(storage: Storage, unit: TimestampUnit): ExportSource {
  const metric = undefined;
  return {
    metrics: ({ prefix, labels: asked }) => {
      const labels = Object.entries(asked);
      return describedMetrics(storage, seriesFilter({ metric, prefix, labels }));
    },
    openLines: ({ prefix, labels: pairs, start, end }, signal) => {
      const labels = Object.entries(pairs);
      const selection = { metric, prefix, labels, selectors: [] };
      const range = timeRange(start, end);
      const asked = { ...selection, range, format: 'ndjson', hasTotals: true } as const;
      const guard = new Guard(defaultQuerySettings.limits);
      const shape = { unit, guard, noteLeftOut: () => undefined };
      return readPieces(openExport(storage, asked, shape), signal);
    },
  };
}
