/**
 * One server over fetch, with token, SeriesDbError and retries. A refused request is retried if the
 * server asks for it by Retry-After. After a broken connection, only idempotent requests are
 * retried.
 */

import { clientCodes, invalidArgument, SeriesDbError } from './client-error.js';

export interface RetryPolicy {
  /** Retries after the first attempt. */
  readonly retries: number;
  /** The longest single wait. If the server requests a longer wait, there is no further attempt. */
  readonly delayMaxMs: number;
}

const defaultRetryPolicy: RetryPolicy = { retries: 4, delayMaxMs: 10_000 };

/** A failed attempt that will be repeated after `delayMs`. `attempt` counts from 1. */
export interface RetryEvent {
  readonly error: SeriesDbError;
  readonly attempt: number;
  readonly delayMs: number;
}

export interface ConnectionOptions {
  /** `http://host:port`, with a path if a proxy serves the API below one. */
  readonly url: string;
  /** The bearer token. */
  readonly token?: string;
  readonly retry?: Partial<RetryPolicy>;
  readonly onRetry?: (event: RetryEvent) => void;
  /** Another fetch, for example with a proxy or in a test. */
  readonly fetch?: typeof fetch;
}

interface ConnectionCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly contentType?: string;
  /** The requested format of the answer. */
  readonly accept?: string;
  /** True if the request is idempotent. */
  readonly isRepeatable: boolean;
  /** True to follow Retry-After without a limit on attempts. */
  readonly isPatient?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Receives the headers of a 2xx answer, before its body is read. */
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
}

const firstDelayMs = 200;

/** The longest timeout of a timer. Longer ones fire at once. */
const timerMaxMs = 2 ** 31 - 1;

/** Codes of refusals before any work. With other codes, the server may have done the work. */
const kUndone: ReadonlySet<string> = new Set(['ingest_backpressure', 'closed', 'too_many_queries']);

export class Connection {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #policy: RetryPolicy;
  readonly #onRetry: (event: RetryEvent) => void;
  readonly #fetch: typeof fetch;

  constructor(options: ConnectionOptions) {
    this.#base = baseOf(options.url);
    this.#headers = {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      // On the same machine, compression costs more than it saves. Otherwise fetch itself
      // negotiates compression; browsers always do, since they reserve this header.
      ...(isSameMachine(this.#base) ? { 'accept-encoding': 'identity' } : {}),
    };
    this.#policy = { ...defaultRetryPolicy, ...options.retry };
    this.#onRetry = options.onRetry ?? (() => undefined);
    // Browsers require that fetch is called on the window.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** The whole text of a 2xx answer. */
  async text(call: ConnectionCall): Promise<string> {
    const { own, release } = withOwnSignal(call);
    try {
      return await this.#tryAgain(own, async (response) => response.text());
    } finally {
      release();
    }
  }

  /** The pieces of a 2xx answer as they arrive. After the first piece there are no retries. */
  async *pieces(call: ConnectionCall): AsyncGenerator<Uint8Array> {
    const { own, release } = withOwnSignal(call);
    try {
      const body = await this.#tryAgain(own, (response) => Promise.resolve(response.body));
      if (body !== null) yield* piecesOf(body, own.signal);
    } finally {
      release();
    }
  }

  async #tryAgain<T>(call: ConnectionCall, read: (response: Response) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(call, read);
      } catch (error) {
        if (!(error instanceof SeriesDbError) || !this.#mayRepeat(call, error, attempt)) {
          throw error;
        }
        const delayMs = this.#delay(error, attempt);
        this.#onRetry({ error, attempt, delayMs });
        await pause(delayMs, call.signal);
      }
    }
  }

  async #once<T>(call: ConnectionCall, read: (response: Response) => Promise<T>): Promise<T> {
    let response: Response;
    try {
      response = await this.#fetch(this.#base + call.path, {
        method: call.method,
        headers: {
          ...this.#headers,
          ...(call.contentType === undefined ? {} : { 'content-type': call.contentType }),
          ...(call.accept === undefined ? {} : { accept: call.accept }),
        },
        ...(call.body === undefined ? {} : { body: call.body }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      });
      if (response.ok) {
        call.onHeaders?.(response.headers);
        return await read(response);
      }
      throw refusal(response, await response.text());
    } catch (cause) {
      if (cause instanceof SeriesDbError) throw cause;
      throw noAnswer(cause, call.signal);
    }
  }

  #mayRepeat(call: ConnectionCall, error: SeriesDbError, attempt: number): boolean {
    // A retry before the requested time would be load that the server has just refused.
    const delayMaxMs = Math.min(this.#policy.delayMaxMs, timerMaxMs);
    if (error.retryAfterMs !== null && error.retryAfterMs > delayMaxMs) return false;
    const isRefused = error.mayPass && (call.isRepeatable || kUndone.has(error.code));
    if (isRefused && call.isPatient === true) return true;
    if (attempt > this.#policy.retries) return false;
    return isRefused || (call.isRepeatable && error.code === clientCodes.network);
  }

  /** At least the wait that the server requests; `#mayRepeat` has refused longer ones. */
  #delay(error: SeriesDbError, attempt: number): number {
    if (error.retryAfterMs !== null) return error.retryAfterMs;
    // Jitter spreads the retries of clients that were refused together.
    const backoffMs = firstDelayMs * 2 ** Math.min(attempt - 1, 10) * (0.75 + Math.random() / 2);
    return Math.min(backoffMs, this.#policy.delayMaxMs);
  }
}

/**
 * A copy of the call with its own signal, which follows the caller's. Fetch's listeners stay on a
 * signal until it is collected, so a long-lived signal would gather thousands of listeners.
 */
function withOwnSignal(call: ConnectionCall): {
  readonly own: ConnectionCall;
  readonly release: () => void;
} {
  const { signal } = call;
  if (signal === undefined) return { own: call, release: () => undefined };
  const controller = new AbortController();
  const follow = (): void => {
    controller.abort(signal.reason);
  };
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  const release = (): void => {
    signal.removeEventListener('abort', follow);
  };
  return { own: { ...call, signal: controller.signal }, release };
}

async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      // Response bodies are byte streams, but not every type declaration says so.
      const { value } = (await reader.read()) as { readonly value?: Uint8Array };
      if (value === undefined) return;
      yield value;
    }
  } catch (cause) {
    throw noAnswer(cause, signal);
  } finally {
    // This also runs if the caller stops early; then the server stops, too.
    await reader.cancel().catch(() => undefined);
  }
}

function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw invalidArgument(`the server's address must be like http://127.0.0.1:8080, not "${url}"`);
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '') {
    throw invalidArgument('the address of the server must hold no user, password or query');
  }
  return parsed.origin + parsed.pathname.replace(/\/+$/, '');
}

function isSameMachine(base: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(base).hostname);
}

function refusal(response: Response, text: string): SeriesDbError {
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = null;
  }
  const { status } = response;
  if (typeof body === 'object' && body !== null && 'error' in body) {
    // Routes of the Prometheus API give `errorType` instead of a code.
    const code = 'code' in body ? body.code : 'errorType' in body ? body.errorType : null;
    const message = String(body.error);
    if (typeof code === 'string') return new SeriesDbError({ code, message, status, retryAfterMs });
  }
  const message = `the address answered ${status} with something that is not this API's`;
  return new SeriesDbError({ code: clientCodes.answer, message, status, retryAfterMs });
}

/** Parses seconds or a date to milliseconds. Null if the header is missing or invalid. */
export function readRetryAfter(header: string | null, nowMs = Date.now()): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

/** Converts an error of fetch. The caller's own abort stays unchanged. */
function noAnswer(cause: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (cause instanceof SeriesDbError) return cause;
  const message = `no answer from the server: ${reasonOf(cause)}`;
  return new SeriesDbError({ code: clientCodes.network, status: 0, message, cause });
}

/** Node.js wraps the cause in a TypeError "fetch failed". */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause;
  if (!(inner instanceof Error)) return cause.message;
  const code = 'code' in inner ? String(inner.code) : '';
  return inner.message === '' ? code : inner.message;
}

/** Waits. If the signal is aborted, it rejects at once with the signal's reason. */
function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      // Callers of fetch get the signal's reason unchanged, even if it is not an Error.
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, delayMs);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
