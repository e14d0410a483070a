/**
 * The public API over any transport: checks the head, the token and the route, runs the route in
 * one wrapper, and keeps the list of requests in progress for time limits and for a clean stop.
 */

import { AppError } from '../errors/app-error.js';

import { headFault } from './head-check.js';
import { Run, type RunHost } from './run.js';
import { defaultTimes, type ServiceTimes } from './service-times.js';

import type { Route, RouteContext, RouteTable } from './route.js';
import type { Exchange } from './transport.js';
import type { TokenCheck } from '../auth/token.js';
import type { Log } from '../telemetry/log.js';
import type { RequestMetrics } from '../telemetry/request-metrics.js';

export interface ServiceOptions {
  readonly context: RouteContext;
  readonly routes: RouteTable;
  readonly isAllowed: TokenCheck;
  readonly log: Log;
  readonly requestMetrics: RequestMetrics;
  readonly times?: ServiceTimes;
}

/** The guarded part of the paths. */
const kGuardedPrefix = '/api/';

export class Service implements RunHost {
  readonly times: ServiceTimes;
  readonly log: Log;
  readonly requestMetrics: RequestMetrics;
  isStopping = false;
  readonly #options: ServiceOptions;
  readonly #active = new Set<Run>();
  readonly #sweep: NodeJS.Timeout;
  #onIdle: (() => void) | null = null;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.log = options.log;
    this.requestMetrics = options.requestMetrics;
    this.times = options.times ?? defaultTimes;
    this.#sweep = setInterval(() => {
      const now = performance.now();
      for (const run of this.#active) run.checkTime(now);
    }, this.times.sweepMs);
    this.#sweep.unref();
  }

  /** Never throws; every exchange gets an answer or a closed connection. */
  accept(exchange: Exchange): void {
    const run = new Run(this, exchange);
    this.#active.add(run);
    const fault = headFault(exchange.head);
    if (fault !== null) {
      run.refuseHead(fault);
      return;
    }
    run.beginBody();
    const { head } = exchange;
    if (head.path.startsWith(kGuardedPrefix) && !this.#options.isAllowed(head.authorization)) {
      run.fail(new AppError('unauthorized', 'a valid bearer token is required'));
      return;
    }
    const methods = this.#options.routes.get(head.path);
    if (methods === undefined) {
      run.fail(new AppError('not_found', 'no such path'));
      return;
    }
    const route = methods.get(head.method === 'HEAD' ? 'GET' : head.method);
    if (route === undefined) {
      run.refuseMethod(allowed(methods));
      return;
    }
    run.route(route, this.#options.context);
  }

  ended(run: Run): void {
    this.#active.delete(run);
    if (this.#active.size === 0) this.#onIdle?.();
  }

  /** Resolves when no request is in progress, or after `graceMs`. New answers close connections. */
  async drain(graceMs: number): Promise<void> {
    this.isStopping = true;
    if (this.#active.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        this.#onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    clearInterval(this.#sweep);
  }
}

function allowed(methods: ReadonlyMap<string, Route>): string {
  const names = [...methods.keys()];
  if (names.includes('GET')) names.push('HEAD');
  return names.sort().join(', ');
}
