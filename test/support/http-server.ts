/**
 * A service over a fake storage, and clients for it: without a socket for tests of routes and the
 * wrapper, otherwise over a transport with fetch and raw bytes.
 */

import { connect } from 'node:net';

import { createTokenCheck, tokenOfSetting, type TokenEntry } from '../../src/http/auth/token.js';
import { createCors } from '../../src/http/guard/cors.js';
import { publicGuard } from '../../src/http/guard/guard.js';
import { createSiteGuard } from '../../src/http/guard/site-guard.js';
import { Turns } from '../../src/http/intake/turns.js';
import { routeTable } from '../../src/http/route-table.js';
import { Service } from '../../src/http/service/service.js';
import { defaultTimes, type ServiceTimes } from '../../src/http/service/service-times.js';
import { inject, type InjectedRequest } from '../../src/http/transport/inject.js';
import { createNodeTransport } from '../../src/http/transport/node-transport.js';
import { UnreadAnswers } from '../../src/http/transport/unread-answers.js';
import { loadUwsTransport } from '../../src/http/transport/uws-library.js';
import { createOperations } from '../../src/operations/operations.js';
import { EventLoopDelay } from '../../src/telemetry/event-loop-delay.js';
import { createLog, type LogLevel } from '../../src/telemetry/log.js';
import { RequestMetrics } from '../../src/telemetry/request-metrics.js';

import { FakeStorage } from './fake-storage.js';

import type { Storage } from '../../src/storage/storage.js';
import type { PageFiles } from '../../src/http/page/page-files.js';
import type { RouteTable } from '../../src/http/route/build-table.js';
import { contextFor, type RouteContext } from '../../src/http/routes/public-route.js';
import type { ConnectionShare, Transport } from '../../src/http/transport/transport.js';

/** Both transports; only node:http where no build of uWebSockets.js loads. */
export const transports: readonly Transport[] = [
  createNodeTransport(),
  ...[loadUwsTransport()].filter((transport) => typeof transport !== 'string'),
];

/** No limit on unread answers. */
export const anyUnread = (): UnreadAnswers => new UnreadAnswers(() => Infinity);

export const anyConnections: ConnectionShare = { open: () => true, close: () => undefined };

interface TestService {
  readonly storage: FakeStorage;
  readonly service: Service<RouteContext>;
  readonly logLines: string[];
  close(): void;
}

export interface TestServer extends TestService {
  readonly base: string;
  readonly port: number;
}

/** A service that takes requests without a socket. */
export interface InjectedServer extends TestService {
  ask(target: string, asked?: Omit<InjectedRequest, 'target'>): Promise<Response>;
}

export interface TestServerOptions {
  /** The storage to use instead of the fake one. */
  readonly on?: Storage;
  readonly token?: string;
  /** Named tokens beside the plain one. */
  readonly named?: readonly TokenEntry[];
  /** The setting `open_status`. */
  readonly opensStatus?: boolean;
  readonly routes?: RouteTable<RouteContext>;
  readonly maxBodyBytes?: number;
  readonly databaseLabel?: string;
  readonly page?: PageFiles;
  readonly times?: Partial<ServiceTimes>;
  readonly corsOrigins?: readonly string[];
  readonly slowRequestMs?: number;
  readonly slowQueryMs?: number;
  readonly logLevel?: LogLevel;
  readonly turnsOf?: (storage: FakeStorage) => Turns;
  readonly now?: () => number;
}

function tokensOf({ token, named }: TestServerOptions): readonly TokenEntry[] | null {
  if (token === undefined) return named ?? null;
  return [tokenOfSetting('auth_token', token), ...(named ?? [])];
}

function createTestService(options: TestServerOptions): TestService {
  const storage = new FakeStorage();
  const asked = options.on ?? storage;
  const logLines: string[] = [];
  const requestMetrics = new RequestMetrics();
  const eventLoopDelay = new EventLoopDelay();
  const operations = createOperations({
    storage: asked,
    requestMetrics,
    timestampUnit: 'ms',
    eventLoopDelay,
    version: '0.0.0-test',
    isAuthRequired: options.token !== undefined,
    commit: 'none',
    modes: {
      cas_mode: 'dual_write',
      metadata_read_mode: 'primary',
      query_compiler_mode: 'compiled',
    },
    degradedReasons: [],
    refusedConnections: 0,
    warnings: [],
    replacedListeners: 0,
    diskFreeBytes: null,
  });
  const cors = createCors(options.corsOrigins ?? []);
  const hasToken = options.token !== undefined;
  const service = new Service({
    routes: options.routes ?? routeTable,
    policy: {
      contextOf: contextFor({
        operations,
        maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
        page: options.page ?? null,
        influx: { separator: '.', databaseLabel: options.databaseLabel ?? null },
        otlp: {
          ...{ escapesNames: false, storesDelta: false, labelsScope: false },
          resourceLabels: [],
        },
      }),
      guard: publicGuard(createTokenCheck(tokensOf(options)), options.opensStatus ?? true),
      siteGuard: createSiteGuard({ cors, hasToken, hosts: [] }),
      cors,
      times: { ...defaultTimes, ...options.times },
      slowRequestMs: options.slowRequestMs ?? 0,
      slowQueryMs: options.slowQueryMs ?? 0,
    },
    log: createLog({ level: options.logLevel ?? 'info', sink: (line) => logLines.push(line) }),
    requestMetrics,
    version: '0.0.0-test',
    refusals: { message: 'a request was refused', codes: ['unauthorized', 'forbidden_scope'] },
    turns: options.turnsOf?.(storage) ?? new Turns(),
    ...(options.now === undefined ? {} : { now: options.now }),
  });
  const close = (): void => {
    eventLoopDelay.stop();
  };
  return { storage, service, logLines, close };
}

export function startInjected(options: TestServerOptions = {}): InjectedServer {
  const created = createTestService(options);
  return {
    ...created,
    ask: async (target, asked = {}) => {
      const { status, headers, body } = await inject(created.service, { ...asked, target });
      return new Response(status === 204 ? null : body, { status, headers });
    },
  };
}

export async function startTestServer(
  transport: Transport,
  options: TestServerOptions = {},
): Promise<TestServer> {
  const created = createTestService(options);
  const { service } = created;
  const listener = await transport.listen({
    address: { host: '127.0.0.1', port: 0 },
    tls: null,
    connections: anyConnections,
    unread: anyUnread(),
    accept: (exchange) => {
      service.accept(exchange);
    },
  });
  const { port } = listener.address;
  return {
    ...created,
    port,
    base: `http://127.0.0.1:${port}`,
    close: () => {
      created.close();
      void listener.stopAccepting();
      listener.close();
    },
  };
}

export interface RawAnswer {
  readonly text: string;
  readonly isClosed: boolean;
}

/**
 * Sends parts with a pause between them. Collects the answer until the server closes, or `waitMs`
 * passed after the last part.
 */
export function sendRaw(
  port: number,
  parts: readonly (string | Uint8Array)[],
  waitMs = 150,
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const received: Buffer[] = [];
    let isClosed = false;
    const done = (): void => {
      socket.destroy();
      resolve({ text: Buffer.concat(received).toString('latin1'), isClosed });
    };
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', () => {
      isClosed = true;
    });
    socket.on('end', () => {
      isClosed = true;
    });
    socket.on('close', done);
    void (async () => {
      for (const part of parts) {
        if (socket.destroyed) return;
        socket.write(part);
        await pause(25);
      }
      await pause(waitMs);
      if (!socket.destroyed) done();
    })();
  });
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
