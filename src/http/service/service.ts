/**
 * Serves one listener's routes over any transport. It checks head, authentication and route, and
 * runs each route in one wrapper. It lists the requests in progress, for time limits and a clean
 * stop.
 */

import { AppError } from '../../common/errors/app-error.js';
import { Chain } from '../../common/model/chain.js';

import { headFault } from '../guard/head-check.js';
import { FaultLog } from '../../telemetry/fault-log.js';
import { RefusalLog } from '../../telemetry/refusal-log.js';
import { readWhatCame } from '../transport/turns-to-read.js';
import { CodedAnswers } from './coded-answers.js';
import { createRequestIds } from './request-id.js';
import { RouteRun, type RunHost } from './run.js';

import type { Caller } from '../auth/token.js';
import type { ErrorCode } from '../../common/errors/catalog.js';
import type { Log } from '../../telemetry/log.js';
import type { RequestMetrics } from '../../telemetry/request-metrics.js';
import type { Cors } from '../guard/cors.js';
import type { CallerGuard } from '../guard/guard.js';
import type { SiteGuard } from '../guard/site-guard.js';
import type { Turns } from '../intake/turns.js';
import type { RoutePlace, RouteTable } from '../route/build-table.js';
import type { Exchange, RequestHead } from '../transport/transport.js';
import type { ServiceTimes } from './service-times.js';

/** Settings that a reload may change, for later requests. */
export interface ServicePolicy<Context> {
  readonly contextOf: (caller: Caller) => Context;
  /** The rules for browsers; checked before everything else, except for probes. */
  readonly siteGuard: SiteGuard;
  readonly guard: CallerGuard;
  readonly cors: Cors;
  readonly times: ServiceTimes;
  /** Requests that take this long are logged; 0 disables it. */
  readonly slowRequestMs: number;
  /** The same for queries. Their text is logged, too. */
  readonly slowQueryMs: number;
}

interface ServiceOptions<Context> {
  readonly routes: RouteTable<Context>;
  readonly policy: ServicePolicy<Context>;
  readonly log: Log;
  readonly requestMetrics: RequestMetrics;
  /** Error codes whose refusals are logged. */
  readonly refusals: { readonly message: string; readonly codes: readonly ErrorCode[] };
  /** Shared by all listeners of one event loop. */
  readonly turns: Turns;
  /** Version of the server. */
  readonly version: string;
  /** Forwards requests that only the first thread can answer; absent on the first thread. */
  readonly forward?: (exchange: Exchange) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

export class Service<Context> implements RunHost {
  readonly log: Log;
  readonly requestMetrics: RequestMetrics;
  readonly turns: Turns;
  readonly answers = new CodedAnswers();
  readonly version: string;
  readonly nameRequest = createRequestIds();
  readonly now: () => number;
  readonly refusals: RefusalLog;
  readonly faults: FaultLog;
  isStopping = false;
  readonly #routes: RouteTable<Context>;
  readonly #forward: ((exchange: Exchange) => Promise<void>) | null;
  #forwardedCount = 0;
  #policy: ServicePolicy<Context>;
  readonly #active = new Chain<RouteRun>();
  readonly #sweep: NodeJS.Timeout;
  #onIdle: (() => void) | null = null;

  constructor(options: ServiceOptions<Context>) {
    this.#routes = options.routes;
    this.#forward = options.forward ?? null;
    this.#policy = options.policy;
    this.log = options.log;
    this.requestMetrics = options.requestMetrics;
    this.turns = options.turns;
    this.version = options.version;
    this.now = options.now ?? (() => performance.now());
    this.refusals = new RefusalLog({ ...options.refusals, log: this.log, now: this.now });
    this.faults = new FaultLog(this.log, this.now);
    this.#sweep = setInterval(() => {
      this.checkTimes();
    }, this.times.sweepMs);
    this.#sweep.unref();
  }

  get times(): ServiceTimes {
    return this.#policy.times;
  }

  get cors(): Cors {
    return this.#policy.cors;
  }

  get slowRequestMs(): number {
    return this.#policy.slowRequestMs;
  }

  get slowQueryMs(): number {
    return this.#policy.slowQueryMs;
  }

  adopt(policy: ServicePolicy<Context>): void {
    this.#policy = policy;
  }

  /** Never throws; every exchange gets an answer or a closed connection. */
  accept(exchange: Exchange): void {
    if (this.#forward !== null && this.#isForFirst(exchange.head)) {
      void this.#answerBy(this.#forward, exchange);
      return;
    }
    const run = new RouteRun(this, exchange);
    this.#active.add(run);
    const fault = headFault(exchange.head);
    if (fault !== null) {
      run.refuseHead(fault);
      return;
    }
    run.beginBody();
    const { head } = exchange;
    const peerAddress = (): string => exchange.peerAddress();
    const place = this.#routes.placeOf(head.path);
    const { isProbe, protocol, routes } = place;
    run.protocol = protocol;
    const foreign = isProbe ? null : this.#policy.siteGuard(head, place);
    if (foreign !== null) {
      run.fail(foreign);
      return;
    }
    // A browser sends no token with a preflight, so this comes before the guard.
    const preflight = this.cors.preflight(head, routes.keys());
    if (preflight !== null) {
      run.preflight(preflight);
      return;
    }
    const caller = this.#policy.guard(head, peerAddress, place);
    if (caller instanceof AppError) {
      run.fail(caller);
      return;
    }
    run.caller = caller;
    if (routes.size === 0) {
      run.fail(new AppError('not_found', 'no such path'));
      return;
    }
    const route = routes.get(head.method === 'HEAD' ? 'GET' : head.method);
    if (route === undefined) {
      run.refuseMethod(allowed(routes), place.path);
      return;
    }
    if (place.parameter !== null) run.takeFromPath(place.parameter);
    run.route(route, this.#policy.contextOf(caller));
  }

  #isForFirst({ method, path }: RequestHead): boolean {
    return (method === 'GET' || method === 'HEAD') && this.#routes.placeOf(path).isCentral;
  }

  async #answerBy(
    forward: (exchange: Exchange) => Promise<void>,
    exchange: Exchange,
  ): Promise<void> {
    this.#forwardedCount += 1;
    try {
      await forward(exchange);
    } catch {
      exchange.cut();
    }
    this.#forwardedCount -= 1;
    if (this.#isIdle) this.#onIdle?.();
  }

  get #isIdle(): boolean {
    return this.#active.size === 0 && this.#forwardedCount === 0;
  }

  /** Ends requests that took too long. Call this periodically. */
  checkTimes(): void {
    const now = this.now();
    for (const run of this.#active) run.checkTime(now);
    this.faults.sweep();
  }

  ended(run: RouteRun): void {
    this.#active.delete(run);
    if (this.#isIdle) this.#onIdle?.();
  }

  /** From now on, answers close their connections. */
  beginStop(): void {
    this.isStopping = true;
  }

  /** Begins a stop. Resolves when no request is in progress, or after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.beginStop();
    // The transports need one more turn.
    await readWhatCame(1);
    if (!this.#isIdle) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        this.#onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    clearInterval(this.#sweep);
    this.faults.end();
  }
}

function allowed<Context>(routes: RoutePlace<Context>['routes']): string {
  const names = [...routes.keys()];
  if (names.includes('GET')) names.push('HEAD');
  return names.sort().join(', ');
}
