/**
 * One running server: storage, public listener, admin listener, the owner's socket. Start: storage,
 * then the listeners. Stop: the listeners take no more, requests finish, memory is flushed, the
 * storage closes.
 */

import { thrownMessage } from './common/errors/thrown-message.js';
import { createAdminGuard } from './http/admin/access.js';
import { adminRoutes, ownerRoutes } from './http/admin/route-table.js';
import { LiveSettings, type ReloadReport, type SettingsSource } from './config/live-settings.js';
import { showSettings } from './config/show.js';
import { createCors } from './http/guard/cors.js';
import { createSiteGuard } from './http/guard/site-guard.js';
import { Service, type ServicePolicy } from './http/service/service.js';
import { printListenAddress, type ListenAddress } from './common/model/listen-address.js';
import { OneUndelete } from './operations/undelete.js';
import { storageLimits } from './open-storage.js';
import { ListenerThreads } from './server/listener-threads.js';
import { openOwnerSocket, type OwnerSocket } from './server/owner-socket.js';
import {
  filesFrom,
  ownedBy,
  publicRefusals,
  PublicSide,
  timesFrom,
  tokensOf,
} from './server/public-side.js';
import { DegradedLog } from './telemetry/degraded-log.js';
import { uptimeSeconds } from './telemetry/uptime.js';

import type { OwnBackups } from './open-backups.js';
import type { OwnBucket } from './open-bucket.js';
import type { TokenEntry } from './http/auth/token.js';
import type { Settings } from './config/settings.js';
import type { AdminContext, OwnerContext } from './http/admin/admin-route.js';
import type { PageFiles } from './http/page/page-files.js';
import type { ConnectionGate } from './http/transport/connection-gate.js';
import type { Listener, Serving, Transport } from './http/transport/transport.js';
import type { OpenState } from './operations/past-states.js';
import type { ServingRules } from './server/thread-calls.js';
import type { Storage } from './storage/storage.js';
import type { LeveledLog } from './telemetry/log.js';

export interface RunningServer {
  readonly address: ListenAddress;
  /** Null when the admin listener is off. */
  readonly adminAddress: ListenAddress | null;
  /** Rejects, having changed nothing, when the new settings cannot be taken. */
  reload(): Promise<ReloadReport>;
  /** Idempotent. */
  stop(): Promise<void>;
}

interface StartOptions {
  readonly source: SettingsSource;
  readonly storage: Storage;
  /** Opens the state of a snapshot beside it. */
  readonly openState: OpenState;
  readonly transport: Transport;
  /** Threads that serve the public API. */
  readonly listeners: number;
  /** Of each thread beside the first. */
  readonly listenerHeapMb: number;
  readonly gate: ConnectionGate;
  /** Null: it is not served. */
  readonly page: PageFiles | null;
  readonly log: LeveledLog;
  readonly version: string;
  /** Of the source that this was compiled from; `unknown` where nobody recorded it. */
  readonly commit: string;
  /** Another build of the addon, for other threads. */
  readonly addonPath: string | undefined;
  /** The bucket that the storage is on; null without one. */
  readonly bucket: OwnBucket | null;
  readonly backups: OwnBackups;
}

/**
 * Requests have so long to finish, in all phases of a stop together. `docker stop` kills after
 * 10 s; the rest is for the flush. A kill in it loses nothing, since the WAL has all samples.
 */
const kStopGraceMs = 7_000;

/** A flush or another order of the operator may take long. */
const kAdminAnswerMs = 600_000;

/** The admin listener has no other paths, the public one none of these. */
const adminPrefix = '/__admin/';

/** What is worth a line of the log: whoever is turned away from operating, too. */
const adminRefusals = {
  message: 'an admin request was refused',
  codes: [...publicRefusals.codes, 'forbidden', 'forbidden_origin', 'forbidden_host'],
} as const;

/** Owns `storage`, `bucket` and `backups` from the call on: a failed start closes them. */
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

class Server implements RunningServer {
  readonly #options: StartOptions;
  readonly #live: LiveSettings;
  readonly #startedAt = new Date();
  readonly #degradedLog: DegradedLog;
  readonly #oneUndelete = new OneUndelete();
  readonly #threads: ListenerThreads;
  readonly #public: PublicSide;
  readonly #adminService: Service<AdminContext>;
  /** The same routes, for who reaches the socket in the data directory. */
  readonly #ownerService: Service<OwnerContext>;
  #listener: Listener | null = null;
  #adminListener: Listener | null = null;
  #ownerSocket: OwnerSocket | null = null;
  #stopped: Promise<void> | null = null;
  #reloading: Promise<unknown> = Promise.resolve();

  constructor(options: StartOptions) {
    const { source, storage, openState, listeners, gate, page, log, version, commit } = options;
    const { bucket, backups } = options;
    this.#options = options;
    this.#live = new LiveSettings(source);
    const live = this.#live;
    const { settings } = source.resolved;
    this.#threads = new ListenerThreads(listeners);
    const threads = this.#threads;
    this.#public = new PublicSide({
      settings: () => live.resolved.settings,
      ...{ storage, openState, log, version, commit, page },
      port: () => this.address.port,
      thread: threads.first,
      facts: {
        get degradedReasons() {
          return gate.reason === null ? [] : [gate.reason];
        },
        get refusedConnections() {
          return gate.refusedTotal;
        },
        get replacedListeners() {
          return threads.replacedCount;
        },
        others: () => threads.figures(),
        ...(bucket === null ? {} : { bucket: bucket.facts }),
        get backup() {
          return backups.facts;
        },
      },
    });
    this.#degradedLog = new DegradedLog(log, () => storage.degradedReasons());
    const { requestMetrics, turns } = this.#public;
    const shared = { log, requestMetrics, turns, version, refusals: adminRefusals };
    const policy = this.#adminPolicy(settings, []);
    this.#adminService = new Service<AdminContext>({ ...shared, routes: adminRoutes, policy });
    this.#ownerService = new Service({ ...shared, routes: ownerRoutes, policy: ownedBy(policy) });
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
    this.#prepare(settings, tokens)();
    const { transport, gate } = this.#options;
    const { unread } = this.#public;
    // The storage has opened its files.
    await gate.recount();
    if (settings['admin.enabled']) {
      this.#adminListener = await transport.listen({
        address: settings['admin.listen'],
        connections: gate.operator,
        unread,
        tls,
        accept: (exchange) => {
          this.#adminService.accept(exchange);
        },
      });
    }
    const serving = { connections: gate.operator, unread, tls: null };
    const ownerPublic = this.#public.forOwner();
    const accept: Serving['accept'] = (exchange) => {
      const isAdmin = exchange.head.path.startsWith(adminPrefix);
      (isAdmin ? this.#ownerService : ownerPublic).accept(exchange);
    };
    const { log } = this.#options;
    this.#ownerSocket = await openOwnerSocket(settings.data_dir, { ...serving, accept }, log);
    this.#listener = await transport.listen({
      address: settings.listen,
      connections: gate.everybody,
      unread,
      tls,
      accept: (exchange) => {
        this.#public.service.accept(exchange);
      },
    });
    this.#beginThreads({ settings, tokens, tls });
    this.#options.backups.begin();
  }

  #beginThreads(rules: ServingRules): void {
    const { storage, gate, log, version, commit, addonPath, transport } = this.#options;
    this.#threads.begin(rules, {
      ...{ storage, log, version, commit, addonPath },
      service: this.#public.service,
      port: this.address.port,
      gate: gate.shared,
      onLost: (thread) => {
        gate.forget(thread);
      },
      // A socket that uWebSockets.js hands to a loop which is gone ends the process.
      replaces: transport.name === 'node',
      heapMb: this.#options.listenerHeapMb,
      onServing: (shares) => this.#listener?.shareWith(shares),
    });
  }

  /** One after the other. */
  reload(): Promise<ReloadReport> {
    const reloaded = this.#reloading.then(() => this.#live.reload((next) => this.#change(next)));
    this.#reloading = reloaded.catch(() => undefined);
    return reloaded;
  }

  /** What can fail comes first, on all threads. */
  async #change(next: Settings): Promise<void> {
    const { log, storage } = this.#options;
    const { tls, tokens } = filesFrom(next);
    const listeners = [this.#listener, this.#adminListener].filter((one) => one !== null);
    const renewals = tls === null ? [] : listeners.map((one) => one.prepareTls(tls));
    const adopt = this.#prepare(next, tokens);
    const renewBucket = this.#options.bucket?.prepare(next);
    const renewBackups = this.#options.backups.prepare(next);
    await this.#threads.prepare({ settings: next, tokens, tls });
    // It takes all limits or none. Nothing behind it fails.
    storage.configure(storageLimits(next));
    for (const renew of renewals) renew();
    renewBucket?.();
    renewBackups();
    log.setLevel(next.log_level);
    adopt();
    await this.#threads.adopt();
  }

  /** Returns what makes the change. `tokens` are those of the file, if one is set. */
  #prepare(settings: Settings, tokens: readonly TokenEntry[]): () => void {
    const adopt = this.#public.prepare(settings, tokens);
    const policy = this.#adminPolicy(settings, tokens);
    return () => {
      adopt();
      this.#adminService.adopt(policy);
      this.#ownerService.adopt(ownedBy(policy));
      const { tokens_file: file } = settings;
      if (file === null) return;
      const { log } = this.#options;
      log.write('info', 'tokens are read from a file', { file, count: tokens.length });
    };
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stopNow());
  }

  async #stopNow(): Promise<void> {
    const listeners = [this.#listener, this.#adminListener].filter((one) => one !== null);
    const owner = this.#ownerSocket === null ? [] : [this.#ownerSocket];
    const { storage } = this.#options;
    const deadline = performance.now() + kStopGraceMs;
    const leftMs = (): number => Math.max(0, deadline - performance.now());
    const services = [this.#public, this.#adminService, this.#ownerService];
    for (const service of services) service.beginStop();
    const backupsEnded = this.#options.backups.close();
    // Before other threads end: they are given connections that wait.
    await Promise.all([...listeners, ...owner].map((one) => one.stopAccepting()));
    await this.#reloading;
    await Promise.all([this.#threads.stop(leftMs), ...services.map((one) => one.drain(leftMs()))]);
    // What other threads forwarded meanwhile.
    await this.#public.drain(leftMs());
    for (const listener of listeners) listener.close();
    // Before LOCK is free: the next server makes its own.
    await this.#ownerSocket?.close();
    this.#degradedLog.stop();
    await backupsEnded;
    try {
      if (this.#listener !== null) await storage.flush();
    } finally {
      await this.#public.operations.close();
      try {
        await storage.close();
      } finally {
        // Up to its end, the storage ships what the bucket lacks.
        await this.#options.bucket?.close();
      }
    }
  }

  #adminPolicy(settings: Settings, named: readonly TokenEntry[]): ServicePolicy<OwnerContext> {
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

  #adminContext(): OwnerContext {
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
        await this.#public.operations.forgetState(name);
        await this.#threads.forgetState(name);
        await this.#options.storage.deleteSnapshot(name);
      },
      openSnapshots: () => this.#options.storage.openSnapshots(),
      openBackup: (directory) => this.#options.storage.openBackup(directory),
      openStoreBackup: (store, keep) => this.#options.backups.openToStore(store, keep),
      unit: this.#live.resolved.settings.timestamp_unit,
      oneUndelete: this.#oneUndelete,
      openUndelete: (undelete) => this.#options.storage.openUndelete(undelete),
      openRepair: (wishes) => this.#options.storage.openRepair(wishes),
      listQueries: async () => {
        const own = this.#public.operations.listQueries();
        const all = [...own, ...(await this.#threads.listQueries())];
        return all.sort((one, other) => other.elapsed_ms - one.elapsed_ms);
      },
      cancelQuery: async (id) =>
        this.#public.operations.cancelQuery(id) || (await this.#threads.cancelQuery(id)),
      verify: () => this.#options.storage.openVerification(),
      inspect: (inspected) => this.#options.storage.openInspection(inspected),
    };
  }

  async #reloadByRequest(): Promise<readonly string[]> {
    const { log } = this.#options;
    try {
      const report = await this.reload();
      logReload(log, report);
      return report.restartRequired;
    } catch (error) {
      logReloadFault(log, error);
      throw error;
    }
  }

  async #adminStatus(): Promise<object> {
    const { settings } = this.#live.resolved;
    const { status, reasons, warnings } = await this.#public.operations.status();
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
  log.write('info', 'settings were reloaded', { changed: changed.join(', ') });
  for (const key of restartRequired) {
    log.write('warn', 'this setting was changed and needs a restart', { key });
  }
}

export function logReloadFault(log: LeveledLog, error: unknown): void {
  const reason = thrownMessage(error);
  log.write('error', 'the settings were not reloaded; nothing was changed', { reason });
}
