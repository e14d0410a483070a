/**
 * One running server: storage, public listener, admin listener. Start: storage, then the listeners.
 * Stop: the listeners take no more, requests finish, memory is flushed, the storage closes.
 */

import { createAdminGuard } from './admin/access.js';
import { adminRoutes } from './admin/route-table.js';
import { tokensFromFile } from './auth/token-file.js';
import { createTokenCheck, tokenOfSetting, type TokenEntry } from './auth/token.js';
import { LiveSettings, type ReloadReport, type SettingsSource } from './config/live-settings.js';
import { showSettings } from './config/show.js';
import { createCors } from './http/guard/cors.js';
import { publicGuard } from './http/guard/guard.js';
import { createSiteGuard } from './http/guard/site-guard.js';
import { Turns } from './http/intake/turns.js';
import type { PageFiles } from './http/page/page-files.js';
import { routeTable } from './http/route-table.js';
import { Service, type ServicePolicy } from './http/service/service.js';
import { defaultTimes, type ServiceTimes } from './http/service/service-times.js';
import { loadTlsFiles, type TlsFiles } from './http/transport/tls-files.js';
import { isLoopback, printListenAddress, type ListenAddress } from './model/listen-address.js';
import { createOperations, type Operations } from './operations/operations.js';
import { OneUndelete } from './operations/undelete.js';
import { storageLimits } from './open-storage.js';
import { DegradedLog } from './telemetry/degraded-log.js';
import { EventLoopDelay } from './telemetry/event-loop-delay.js';
import { freeDiskBytes } from './telemetry/free-disk.js';
import { RequestMetrics } from './telemetry/request-metrics.js';
import { uptimeSeconds } from './telemetry/uptime.js';

import type { Settings } from './config/settings.js';
import type { FinerTimes } from './operations/ingest.js';
import type { QuerySettings } from './operations/query.js';
import type { AdminContext } from './admin/admin-route.js';
import { contextFor, type RouteContext } from './http/routes/public-route.js';
import type { ConnectionGate } from './http/transport/connection-gate.js';
import type { Listener, Transport } from './http/transport/transport.js';
import type { OpenState } from './operations/past-states.js';
import type { Storage } from './storage/storage.js';
import type { LeveledLog } from './telemetry/log.js';

export interface RunningServer {
  readonly address: ListenAddress;
  /** Null when the admin listener is off. */
  readonly adminAddress: ListenAddress | null;
  /** Throws, having changed nothing, when the new settings cannot be taken. */
  reload(): ReloadReport;
  /** Idempotent. */
  stop(): Promise<void>;
}

interface StartOptions {
  readonly source: SettingsSource;
  readonly storage: Storage;
  /** Opens the state of a snapshot beside it. */
  readonly openState: OpenState;
  readonly transport: Transport;
  readonly gate: ConnectionGate;
  /** Null: it is not served. */
  readonly page: PageFiles | null;
  readonly log: LeveledLog;
  readonly version: string;
  /** Of the source that this was compiled from; `unknown` where nobody recorded it. */
  readonly commit: string;
}

/** Longest wait for requests in progress when stopping. */
const kStopGraceMs = 10_000;
/** A flush or another order of the operator may take long. */
const kAdminAnswerMs = 600_000;

/** What is worth a line of the log: who tries tokens, and whoever is turned away from operating. */
const publicRefusals = {
  message: 'a request was refused',
  codes: ['unauthorized', 'forbidden_scope'],
} as const;
const adminRefusals = {
  message: 'an admin request was refused',
  codes: [...publicRefusals.codes, 'forbidden', 'forbidden_origin', 'forbidden_host'],
} as const;

/** Owns `storage` from the call on: it is closed when the start fails. */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const server = new Server(options);
  try {
    await server.listen();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

function querySettingsFrom(settings: Settings): QuerySettings {
  return {
    mode: settings.query_compiler_mode,
    onShadowMismatch: settings.shadow_mismatch,
    limits: {
      maxRows: settings.max_query_rows,
      maxSeries: settings.max_query_series,
      maxSamples: settings.max_query_samples,
      timeoutMs: settings.query_timeout_ms,
    },
    maxConcurrent: settings.max_concurrent_queries,
  };
}

class Server implements RunningServer {
  readonly #options: StartOptions;
  readonly #live: LiveSettings;
  readonly #startedAt = new Date();
  readonly #eventLoopDelay = new EventLoopDelay();
  readonly #degradedLog: DegradedLog;
  readonly #operations: Operations;
  readonly #oneUndelete = new OneUndelete();
  readonly #service: Service<RouteContext>;
  readonly #adminService: Service<AdminContext>;
  #listener: Listener | null = null;
  #adminListener: Listener | null = null;
  #stopped: Promise<void> | null = null;

  constructor(options: StartOptions) {
    const { source, storage, openState, gate, log, version, commit } = options;
    this.#options = options;
    this.#live = new LiveSettings(source);
    const live = this.#live;
    const requestMetrics = new RequestMetrics();
    this.#operations = createOperations({
      storage,
      openState,
      requestMetrics,
      eventLoopDelay: this.#eventLoopDelay,
      timestampUnit: source.resolved.settings.timestamp_unit,
      version,
      commit,
      modes: {
        cas_mode: source.resolved.settings.cas_mode,
        metadata_read_mode: source.resolved.settings.metadata_read_mode,
        query_compiler_mode: source.resolved.settings.query_compiler_mode,
      },
      querySettings: () => querySettingsFrom(live.resolved.settings),
      reportMismatch: (query, difference) => {
        log.write('warn', 'the query engines disagree', { query, difference });
      },
      reportUnitSuspect: ({ ts, unit }) => {
        log.write('warn', 'a timestamp looks as if it were in another unit; see precision', {
          ts: String(ts),
          timestamp_unit: source.resolved.settings.timestamp_unit,
          seems: unit,
        });
      },
      reportFinerTimes: (times) => {
        warnOfFinerTimes(log, times);
      },
      get isAuthRequired() {
        return asksForTokens(live.resolved.settings, 'auth_token');
      },
      get degradedReasons() {
        return gate.reason === null ? [] : [gate.reason];
      },
      get refusedConnections() {
        return gate.refusedTotal;
      },
      get warnings() {
        return openWarnings(live.resolved.settings);
      },
      get diskFreeBytes() {
        return freeDiskBytes(live.resolved.settings.data_dir);
      },
    });
    this.#degradedLog = new DegradedLog(log, () => storage.degradedReasons());
    const turns = new Turns({
      onCrowd: (crowd) => {
        storage.narrowConnections(this.address.port, crowd === 'lasts');
      },
    });
    const shared = { log, requestMetrics, turns, version };
    const { settings } = source.resolved;
    this.#service = new Service({
      ...shared,
      routes: routeTable,
      policy: this.#publicPolicy(settings, []),
      refusals: publicRefusals,
    });
    this.#adminService = new Service({
      ...shared,
      routes: adminRoutes,
      policy: this.#adminPolicy(settings, []),
      refusals: adminRefusals,
    });
  }

  get address(): ListenAddress {
    return this.#listener?.address ?? this.#live.resolved.settings.listen;
  }

  get adminAddress(): ListenAddress | null {
    return this.#adminListener?.address ?? null;
  }

  async listen(): Promise<void> {
    const { settings } = this.#live.resolved;
    const { tls, tokens } = filesFrom(settings);
    this.#adopt(settings, tokens);
    const { transport, gate } = this.#options;
    // The storage has opened its files.
    await gate.recount();
    if (settings['admin.enabled']) {
      this.#adminListener = await transport.listen({
        address: settings['admin.listen'],
        connections: gate.operator,
        tls,
        accept: (exchange) => {
          this.#adminService.accept(exchange);
        },
      });
    }
    this.#listener = await transport.listen({
      address: settings.listen,
      connections: gate.everybody,
      tls,
      accept: (exchange) => {
        this.#service.accept(exchange);
      },
    });
  }

  reload(): ReloadReport {
    return this.#live.reload((next) => {
      // What can fail comes first.
      const { tls, tokens } = filesFrom(next);
      const listeners = [this.#listener, this.#adminListener].filter((one) => one !== null);
      const renewals = tls === null ? [] : listeners.map((one) => one.prepareTls(tls));
      for (const renew of renewals) renew();
      this.#options.log.setLevel(next.log_level);
      this.#options.storage.configure(storageLimits(next));
      this.#adopt(next, tokens);
    });
  }

  /** `tokens` are those of the file, if one is set. */
  #adopt(settings: Settings, tokens: readonly TokenEntry[]): void {
    this.#service.adopt(this.#publicPolicy(settings, tokens));
    this.#adminService.adopt(this.#adminPolicy(settings, tokens));
    const { tokens_file: file } = settings;
    if (file === null) return;
    this.#options.log.write('info', 'tokens are read from a file', { file, count: tokens.length });
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stopNow());
  }

  async #stopNow(): Promise<void> {
    const listeners = [this.#listener, this.#adminListener];
    const { storage } = this.#options;
    for (const listener of listeners) listener?.stopAccepting();
    await Promise.all([this.#service.drain(kStopGraceMs), this.#adminService.drain(kStopGraceMs)]);
    for (const listener of listeners) listener?.close();
    this.#eventLoopDelay.stop();
    this.#degradedLog.stop();
    try {
      if (this.#listener !== null) await storage.flush();
    } finally {
      await this.#operations.close();
      await storage.close();
    }
  }

  #publicPolicy(settings: Settings, named: readonly TokenEntry[]): ServicePolicy<RouteContext> {
    const cors = createCors(settings.cors_origins);
    const tokens = tokensOf(settings, 'auth_token', named);
    const hasToken = tokens !== null;
    const { hosts } = settings;
    return {
      contextOf: contextFor({
        operations: this.#operations,
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
      guard: publicGuard(createTokenCheck(tokens)),
      cors,
      times: timesFrom(settings),
      slowRequestMs: settings.slow_request_ms,
      slowQueryMs: settings.slow_query_ms,
    };
  }

  #adminPolicy(settings: Settings, named: readonly TokenEntry[]): ServicePolicy<AdminContext> {
    const cors = createCors([]);
    const tokens = tokensOf(settings, 'admin.token', named);
    const hasToken = tokens !== null;
    const { hosts } = settings;
    const context = this.#adminContext();
    return {
      contextOf: () => context,
      siteGuard: createSiteGuard({ cors, hasToken, hosts }),
      guard: createAdminGuard({ tokens, allow: settings['admin.allow'] }),
      cors,
      times: { ...timesFrom(settings), answerMs: kAdminAnswerMs },
      slowRequestMs: 0,
      slowQueryMs: 0,
    };
  }

  #adminContext(): AdminContext {
    return {
      status: () => this.#adminStatus(),
      config: () => ({
        settings: showSettings(this.#live.resolved),
        restart_required: this.#live.restartRequired,
      }),
      reload: () => this.#reloadByRequest(),
      flush: () => this.#options.storage.flush(),
      openCompaction: () => this.#options.storage.openCompaction(),
      openMigration: () => this.#options.storage.openMigration(),
      collect: (request) => this.#options.storage.collect(request),
      createSnapshot: (name) => this.#options.storage.createSnapshot(name),
      deleteSnapshot: async (name) => {
        await this.#operations.forgetState(name);
        await this.#options.storage.deleteSnapshot(name);
      },
      openSnapshots: () => this.#options.storage.openSnapshots(),
      openBackup: (directory) => this.#options.storage.openBackup(directory),
      unit: this.#live.resolved.settings.timestamp_unit,
      oneUndelete: this.#oneUndelete,
      openUndelete: (undelete) => this.#options.storage.openUndelete(undelete),
      openRepair: (wishes) => this.#options.storage.openRepair(wishes),
      listQueries: () => this.#operations.listQueries(),
      cancelQuery: (id) => this.#operations.cancelQuery(id),
      verify: () => this.#options.storage.openVerification(),
      inspect: (inspected) => this.#options.storage.openInspection(inspected),
    };
  }

  #reloadByRequest(): readonly string[] {
    const { log } = this.#options;
    try {
      const report = this.reload();
      logReload(log, report);
      return report.restartRequired;
    } catch (error) {
      logReloadFault(log, error);
      throw error;
    }
  }

  #adminStatus(): object {
    const { settings } = this.#live.resolved;
    const { status, reasons, warnings } = this.#operations.status();
    return {
      pid: process.pid,
      uptime_seconds: uptimeSeconds(),
      version: this.#options.version,
      started_at: this.#startedAt.toISOString(),
      data_dir: settings.data_dir,
      admin: {
        enabled: settings['admin.enabled'],
        listen: printListenAddress(this.adminAddress ?? settings['admin.listen']),
      },
      listen: printListenAddress(this.address),
      transport: this.#options.transport.name,
      tls: settings.tls_cert !== null,
      status,
      reasons: reasons ?? [],
      warnings: warnings ?? [],
      restart_required: this.#live.restartRequired,
    };
  }
}

export function logReload(log: LeveledLog, { changed, restartRequired }: ReloadReport): void {
  log.write('info', 'settings were read again', { changed: changed.join(', ') });
  for (const key of restartRequired) {
    log.write('warn', 'this setting was changed and needs a restart', { key });
  }
}

export function logReloadFault(log: LeveledLog, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  log.write('error', 'the settings were not reloaded; nothing was changed', { reason });
}

function warnOfFinerTimes(log: LeveledLog, { protocol, precision }: FinerTimes): void {
  const facts = { protocol, precision, timestamp_unit: 's' };
  log.write('warn', 'the database keeps one sample a second of each series, the last', facts);
}

export function openWarnings(settings: Settings): readonly string[] {
  if (asksForTokens(settings, 'auth_token') || isLoopback(settings.listen)) return [];
  return ['the API is open to the network: auth_token is not set and listen is not loopback'];
}

/** The setting that is a listener's own token. */
type OwnToken = 'auth_token' | 'admin.token';

/** Also where the file names nobody: to take the last token away opens nothing. */
function asksForTokens(settings: Settings, own: OwnToken): boolean {
  return settings[own] !== null || settings.tokens_file !== null;
}

/** What a listener takes; null where it asks for none. */
function tokensOf(
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

/** What settings name outside of them. Throws `invalid_configuration` when it cannot be used. */
export function filesFrom({ tls_cert, tls_key, tokens_file }: Settings): SettingFiles {
  return {
    tls: tls_cert === null || tls_key === null ? null : loadTlsFiles(tls_cert, tls_key),
    tokens: tokens_file === null ? [] : tokensFromFile(tokens_file),
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
