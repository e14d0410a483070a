/**
 * The parts that one thread needs to serve the public API: operations over the storage, and their
 * routes. Every thread that serves connections has its own.
 */

import { getHeapStatistics } from 'node:v8';

import { tokensFromFile } from '../http/auth/token-file.js';
import { createTokenCheck, tokenOfSetting, type TokenEntry } from '../http/auth/token.js';
import { createCors } from '../http/guard/cors.js';
import { ownerGuard, publicGuard } from '../http/guard/guard.js';
import { createSiteGuard } from '../http/guard/site-guard.js';
import { Turns } from '../http/intake/turns.js';
import { routeTable } from '../http/route-table.js';
import { contextFor, type RouteContext } from '../http/routes/public-route.js';
import { Service, type ServicePolicy } from '../http/service/service.js';
import { defaultTimes, type ServiceTimes } from '../http/service/service-times.js';
import { loadTlsFiles, type TlsFiles } from '../http/transport/tls-files.js';
import { UnreadAnswers } from '../http/transport/unread-answers.js';
import { isLoopback } from '../common/model/listen-address.js';
import { createOperations, type Operations } from '../operations/operations.js';
import { EventLoopDelay } from '../telemetry/event-loop-delay.js';
import { freeDiskBytes } from '../telemetry/free-disk.js';
import { RequestMetrics } from '../telemetry/request-metrics.js';

import type { Settings } from '../config/settings.js';
import type { PageFiles } from '../http/page/page-files.js';
import type { Exchange } from '../http/transport/transport.js';
import type { OperationsOptions } from '../operations/options.js';
import type { FinerTimes } from '../operations/ingest.js';
import type { OpenState } from '../operations/past-states.js';
import type { QuerySettings, QueryThread } from '../operations/query.js';
import type { Storage } from '../storage/storage.js';
import type { Log } from '../telemetry/log.js';

/** Refusals that are logged, to show attempts to guess tokens. */
export const publicRefusals = {
  message: 'a request was refused',
  codes: ['unauthorized', 'forbidden_scope'],
} as const;

interface PublicSideOptions {
  /** The settings in force now. */
  readonly settings: () => Settings;
  readonly storage: Storage;
  /** Opens the state of a snapshot beside the storage. */
  readonly openState: OpenState;
  readonly log: Log;
  readonly version: string;
  /** The commit of the compiled source; `unknown` if it was not recorded. */
  readonly commit: string;
  /** The port of the public listener. */
  readonly port: () => number;
  readonly thread: QueryThread;
  /** Null: this thread serves no page. */
  readonly page: PageFiles | null;
  /** Facts that only the first thread knows; see OperationsOptions. */
  readonly facts: Pick<
    OperationsOptions,
    'degradedReasons' | 'refusedConnections' | 'replacedListeners' | 'others' | 'bucket' | 'backup'
  >;
  /** Lets the first thread answer requests that only it can. Missing on the first thread. */
  readonly forward?: (exchange: Exchange) => Promise<void>;
}

export class PublicSide {
  readonly operations: Operations;
  readonly requestMetrics = new RequestMetrics();
  readonly turns: Turns;
  readonly unread: UnreadAnswers;
  readonly service: Service<RouteContext>;
  #ownerService: Service<RouteContext> | null = null;
  readonly #options: PublicSideOptions;
  readonly #eventLoopDelay = new EventLoopDelay();

  constructor(options: PublicSideOptions) {
    const { storage, port, forward } = options;
    const settings = options.settings();
    this.#options = options;
    this.operations = this.#makeOperations(settings);
    this.turns = new Turns({
      onCrowd: (crowd) => {
        storage.narrowConnections(port(), crowd === 'lasts');
      },
    });
    this.unread = new UnreadAnswers((bytes, cutCount) => storage.holdUnread(bytes, cutCount));
    const policy = this.#policy(settings, []);
    this.service = this.#serviceWith(policy, forward === undefined ? {} : { forward });
  }

  #serviceWith(
    policy: ServicePolicy<RouteContext>,
    forwarding: Pick<PublicSideOptions, 'forward'>,
  ): Service<RouteContext> {
    const { log, version } = this.#options;
    const { requestMetrics, turns } = this;
    const shared = { log, version, requestMetrics, turns, refusals: publicRefusals };
    return new Service({ ...shared, routes: routeTable, policy, ...forwarding });
  }

  /** The same routes without tokens, for users of the socket in the data directory. */
  forOwner(): Service<RouteContext> {
    const policy = ownedBy(this.#policy(this.#options.settings(), []));
    return (this.#ownerService ??= this.#serviceWith(policy, {}));
  }

  #makeOperations(fixed: Settings): Operations {
    const { storage, openState, log, version, commit, settings, thread, facts } = this.#options;
    const { timestamp_unit: unit } = fixed;
    return createOperations({
      storage,
      openState,
      thread,
      requestMetrics: this.requestMetrics,
      eventLoopDelay: this.#eventLoopDelay,
      timestampUnit: unit,
      version,
      commit,
      modes: {
        cas_mode: fixed.cas_mode,
        metadata_read_mode: fixed.metadata_read_mode,
        query_compiler_mode: fixed.query_compiler_mode,
      },
      querySettings: () => querySettingsFrom(settings()),
      reportMismatch: (query, difference) => {
        log.write('warn', 'the query engines disagree', { query, difference });
      },
      reportUnitSuspect: ({ ts, unit: seems }) => {
        log.write('warn', 'a timestamp looks as if it were in another unit; see precision', {
          ...{ ts: String(ts), timestamp_unit: unit, seems },
        });
      },
      reportFinerTimes: (times) => {
        warnOfFinerTimes(log, times);
      },
      get isAuthRequired() {
        return asksForTokens(settings(), 'auth_token');
      },
      get degradedReasons() {
        return facts.degradedReasons;
      },
      get refusedConnections() {
        return facts.refusedConnections;
      },
      get replacedListeners() {
        return facts.replacedListeners;
      },
      ...(facts.others === undefined ? {} : { others: facts.others }),
      ...(facts.bucket === undefined ? {} : { bucket: facts.bucket }),
      get backup() {
        return facts.backup ?? null;
      },
      get warnings() {
        return openWarnings(settings());
      },
      get diskFreeBytes() {
        return freeDiskBytes(settings().data_dir);
      },
    });
  }

  /**
   * Returns a function that applies the change to requests that begin afterwards. `named`: the
   * tokens of the tokens file; empty without one.
   */
  prepare(settings: Settings, named: readonly TokenEntry[]): () => void {
    const policy = this.#policy(settings, named);
    return () => {
      this.service.adopt(policy);
      this.#ownerService?.adopt(ownedBy(policy));
    };
  }

  beginStop(): void {
    this.service.beginStop();
    this.#ownerService?.beginStop();
  }

  /** Resolves when no request is in progress, or after `graceMs` milliseconds. */
  async drain(graceMs: number): Promise<void> {
    await Promise.all([this.service.drain(graceMs), this.#ownerService?.drain(graceMs)]);
    this.#eventLoopDelay.stop();
  }

  #policy(settings: Settings, named: readonly TokenEntry[]): ServicePolicy<RouteContext> {
    const cors = createCors(settings.cors_origins);
    const tokens = tokensOf(settings, 'auth_token', named);
    const hasToken = tokens !== null;
    const { hosts } = settings;
    return {
      contextOf: contextFor({
        operations: this.operations,
        maxBodyBytes: settings.max_body_bytes,
        influx: {
          separator: settings.influx_separator,
          databaseLabel: settings.influx_database_label,
        },
        otlp: {
          escapesNames: settings.otlp_names === 'prometheus',
          storesDelta: settings.otlp_delta === 'store',
          labelsScope: settings.otlp_scope_labels,
          resourceLabels: settings.otlp_resource_labels,
        },
        page: this.#options.page,
      }),
      siteGuard: createSiteGuard({ cors, hasToken, hosts }),
      guard: publicGuard(createTokenCheck(tokens), settings.open_status),
      cors,
      times: timesFrom(settings),
      slowRequestMs: settings.slow_request_ms,
      slowQueryMs: settings.slow_query_ms,
    };
  }
}

/** Tokens, and restrictions bound to them, apply only to the network. */
export function ownedBy<Context>(policy: ServicePolicy<Context>): ServicePolicy<Context> {
  return { ...policy, guard: ownerGuard };
}

function querySettingsFrom(settings: Settings): QuerySettings {
  return {
    mode: settings.query_compiler_mode,
    onShadowMismatch: settings.shadow_mismatch,
    limits: {
      maxRows: settings.max_query_rows,
      maxSeries: settings.max_query_series,
      maxSamples: settings.max_query_samples,
      maxTextBytes: textBytesMax(settings.memory_limit_bytes),
      timeoutMs: settings.query_timeout_ms,
    },
    maxConcurrent: settings.max_concurrent_queries,
    promql: {
      lookbackMs: settings.promql_lookback_ms,
      subqueryStepMs: settings.promql_evaluation_interval_ms,
      maxCells: settings.max_query_cells,
    },
  };
}

const kHeapBytes = getHeapStatistics().heap_size_limit;

/**
 * The most bytes of texts per query: a quarter of the memory limit, at most an eighth of the heap.
 * All queries together may hold twice that, which leaves three quarters of the heap to the rest.
 */
function textBytesMax(memoryLimitBytes: number): number {
  return Math.floor(Math.min(memoryLimitBytes / 4, kHeapBytes / 8));
}

function warnOfFinerTimes(log: Log, { protocol, precision }: FinerTimes): void {
  const facts = { protocol, precision, timestamp_unit: 's' };
  log.write('warn', 'the database keeps only the last sample per second of each series', facts);
}

/** Warnings about a listener that other machines can reach. */
export function openWarnings(settings: Settings): readonly string[] {
  if (isLoopback(settings.listen)) return [];
  const warnings: string[] = [];
  if (!asksForTokens(settings, 'auth_token')) {
    warnings.push(
      'the API is open to the network: auth_token is not set and listen is not loopback',
    );
  }
  if (settings.transport === 'uws') {
    warnings.push(
      'transport = "uws" misreads some requests, so do not run it behind a proxy: see docs/wire.md',
    );
  }
  return warnings;
}

/** The setting with a listener's own token. */
type OwnToken = 'auth_token' | 'admin.token';

/** True even if the tokens file is empty: removing the last token must not open the server. */
function asksForTokens(settings: Settings, own: OwnToken): boolean {
  return settings[own] !== null || settings.tokens_file !== null;
}

/** The tokens of a listener; null if it requires none. */
export function tokensOf(
  settings: Settings,
  own: OwnToken,
  named: readonly TokenEntry[],
): readonly TokenEntry[] | null {
  if (!asksForTokens(settings, own)) return null;
  const { [own]: secret } = settings;
  return secret === null ? named : [tokenOfSetting(own, secret), ...named];
}

interface SettingFiles {
  readonly tls: TlsFiles | null;
  readonly tokens: readonly TokenEntry[];
}

/** The files that the settings name. Throws `invalid_configuration` if one cannot be used. */
export function filesFrom({ tls_cert, tls_key, tokens_file }: Settings): SettingFiles {
  return {
    tls: tls_cert === null || tls_key === null ? null : loadTlsFiles(tls_cert, tls_key),
    tokens: tokens_file === null ? [] : tokensFromFile(tokens_file),
  };
}

export function timesFrom(settings: Settings): ServiceTimes {
  return {
    bodySilenceMs: settings.body_timeout_ms,
    answerMs: settings.answer_timeout_ms,
    readerSilenceMs: settings.reader_timeout_ms,
    sweepMs: defaultTimes.sweepMs,
  };
}
