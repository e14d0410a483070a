/**
 * Builds everything and hands it over. Start: storage, then the listener. Stop: the listener takes
 * no more, requests finish, memory is flushed, the storage closes.
 */

import { readFileSync } from 'node:fs';

import { createTokenCheck } from './auth/token.js';
import { runProgram } from './cli/program.js';
import { pendingKeys } from './config/show.js';
import { AppError } from './errors/app-error.js';
import { createNodeTransport } from './http/node-transport.js';
import { routeTable } from './http/route-table.js';
import { Service } from './http/service.js';
import { defaultTimes, type ServiceTimes } from './http/service-times.js';
import { headerSizeMax, headerSizeVariable, loadUwsTransport } from './http/uws-transport.js';
import { isLoopback, printListenAddress, type ListenAddress } from './model/listen-address.js';
import { builtModes } from './operations/modes.js';
import { createOperations } from './operations/operations.js';
import { openNativeStorage } from './storage/native-storage.js';
import { EventLoopDelay } from './telemetry/event-loop-delay.js';
import { createLog, type Log } from './telemetry/log.js';
import { RequestMetrics } from './telemetry/request-metrics.js';

import type { SettingsSource } from './cli/program.js';
import type { Settings } from './config/settings.js';
import type { Transport } from './http/transport.js';
import type { Storage } from './storage/storage.js';

/** The units of a timestamp in a millisecond, as a fraction of two integers. */
const kUnitsPerMs: Readonly<Record<Settings['timestamp_unit'], readonly [bigint, bigint]>> = {
  s: [1n, 1000n],
  ms: [1n, 1n],
  us: [1000n, 1n],
  ns: [1_000_000n, 1n],
};

function futureSkew(settings: Settings): bigint {
  if (settings.max_future_skew === null) return -1n;
  const [multiply, divide] = kUnitsPerMs[settings.timestamp_unit];
  return (BigInt(settings.max_future_skew) * multiply) / divide;
}

/** SERIESDB_ prefixes a setting; this names another build of the addon, for the sanitizers. */
const kAddonVariable = 'SDB_TEST_ADDON';

function openFromSettings(settings: Settings): Promise<Storage> {
  return openNativeStorage(
    {
      directory: settings.data_dir,
      timestampUnit: settings.timestamp_unit,
      fsync: settings.fsync,
      fsyncIntervalMs: settings.fsync_interval_ms,
      memtableMaxBytes: settings.memtable_max_bytes,
      flushIntervalMs: settings.flush_interval_ms,
      memoryLimitBytes: settings.memory_limit_bytes,
      maxLineBytes: settings.max_line_bytes,
      maxBodyBytes: settings.max_body_bytes,
      maxFutureSkew: futureSkew(settings),
      maxSeries: settings.max_series,
      maxSeriesPerMetric: settings.max_series_per_metric,
    },
    process.env[kAddonVariable],
  );
}

export type OpenStorage = (settings: Settings) => Promise<Storage>;

export interface RunningServer {
  readonly address: ListenAddress;
  readonly transport: 'uws' | 'node';
  /** Idempotent. */
  stop(): Promise<void>;
}

/** Longest wait for requests in progress when stopping. */
const kStopGraceMs = 10_000;

export interface StartOptions {
  readonly settings: Settings;
  readonly openStorage: OpenStorage;
  readonly log: Log;
}

export async function startServer({
  settings,
  openStorage,
  log,
}: StartOptions): Promise<RunningServer> {
  const transport = chooseTransport(settings.transport);
  const storage = await openStorage(settings);
  const requestMetrics = new RequestMetrics();
  const eventLoopDelay = new EventLoopDelay();
  const operations = createOperations({
    storage,
    requestMetrics,
    eventLoopDelay,
    timestampUnit: settings.timestamp_unit,
    version: packageVersion(),
    commit: compiledCommit(),
    modes: builtModes,
    warnings: openWarnings(settings),
  });
  const service = new Service({
    context: { operations, maxBodyBytes: settings.max_body_bytes },
    routes: routeTable,
    isAllowed: createTokenCheck(settings.auth_token),
    log,
    requestMetrics,
    times: timesFrom(settings),
  });
  let listener;
  try {
    listener = await transport.listen(settings.listen, (exchange) => {
      service.accept(exchange);
    });
  } catch (error) {
    await storage.close();
    throw error;
  }
  const opened = listener;
  const stop = async (): Promise<void> => {
    opened.stopAccepting();
    await service.drain(kStopGraceMs);
    opened.close();
    eventLoopDelay.stop();
    try {
      await storage.flush();
    } finally {
      await storage.close();
    }
  };
  let stopped: Promise<void> | null = null;
  return {
    address: opened.address,
    transport: transport.name,
    stop: () => (stopped ??= stop()),
  };
}

function timesFrom(settings: Settings): ServiceTimes {
  return {
    bodySilenceMs: settings.body_timeout_ms,
    answerMs: settings.answer_timeout_ms,
    readerSilenceMs: settings.reader_timeout_ms,
    sweepMs: defaultTimes.sweepMs,
  };
}

function chooseTransport(wanted: Settings['transport']): Transport {
  process.env[headerSizeVariable] ??= headerSizeMax;
  const uws = wanted === 'node' ? null : loadUwsTransport();
  if (uws === null && wanted === 'uws') {
    throw new AppError('invalid_configuration', 'no build of uWebSockets.js loads on this machine');
  }
  return uws ?? createNodeTransport();
}

function openWarnings(settings: Settings): readonly string[] {
  if (settings.auth_token !== null || isLoopback(settings.listen)) return [];
  return ['the API is open to the network: auth_token is not set and listen is not loopback'];
}

/** Runs until SIGTERM or SIGINT; resolves with the exit code. */
async function serve(source: SettingsSource, openStorage: OpenStorage): Promise<number> {
  const { settings } = source.resolved;
  const log = createLog({
    level: settings.log_level,
    sink: (line) => {
      process.stderr.write(line);
    },
  });
  for (const warning of openWarnings(settings)) log.write('warn', warning);
  for (const key of pendingKeys(source.resolved)) {
    log.write('warn', 'this setting has no effect yet', { key });
  }
  const signal = nextSignal();
  const server = await startServer({ settings, openStorage, log });
  const { address, transport } = server;
  log.write('info', 'listening', { address: printListenAddress(address), transport });
  const version = packageVersion();
  const shown = printListenAddress(address);
  process.stdout.write(`seriesdb ${version} listening on http://${shown}\n`);
  const name = await signal;
  log.write('info', 'stopping', { signal: name });
  try {
    await server.stop();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
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
export function run(
  argv: readonly string[],
  openStorage: OpenStorage = openFromSettings,
): Promise<number> {
  return runProgram(argv, {
    version: packageVersion(),
    environment: process.env,
    serve: (source) => serve(source, openStorage),
    write: (text) => {
      process.stdout.write(text);
    },
    writeError: (text) => {
      process.stderr.write(text);
    },
  });
}
