/**
 * One request to an object store, signed and sent once. Who calls it decides about a retry: of a
 * request without an answer nobody knows whether it was carried out, and a create that is sent
 * again may be refused for its own first try.
 */

import { isIP } from 'node:net';

import aws4 from 'aws4';
import { buildConnector, Pool } from 'undici';

import { isDone, refusalOf, type StoreAnswer } from './store-answer.js';

import type { StoreSettings } from './store-settings.js';

export interface StoreRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below the prefix of the database. Undefined: the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface AskOptions {
  readonly signal?: AbortSignal;
  /** A longer answer fails. */
  readonly mostBytes?: number;
  /** How long an answer may take; undefined: by the size of the body. */
  readonly timeoutMs?: number;
}

/** An answer may take this long, and the time of its bytes at the slowest useful rate. */
const kAnswerMs = 5000;
const kSlowestBytesPerMs = 1000;
const kMostBytes = 8 * 1024 * 1024;
const kConnections = 32;
/** A store says so if the clock of this machine is wrong; its own is used from then on. */
const kSkewed = 'RequestTimeTooSkewed';
/** Stores allow some minutes. */
const kSkewMs = 60_000;

/** As Amazon signs a path: also what encodeURIComponent leaves. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

export class StoreClient {
  readonly #settings: StoreSettings;
  readonly #pool: Pool;
  #skewMs = 0;

  /** `address`: the IP address to connect to, if not every one of the host's will do. */
  constructor(settings: StoreSettings, { address }: { readonly address?: string } = {}) {
    this.#settings = settings;
    const { hostName, origin } = settings.address;
    const connect = buildConnector({
      ...(settings.ca === undefined ? {} : { ca: settings.ca }),
      timeout: kAnswerMs,
    });
    const name = isIP(hostName) === 0 ? { servername: hostName } : {};
    const to = address === undefined ? {} : { hostname: address, ...name };
    this.#pool = new Pool(origin, {
      connections: kConnections,
      connect: (options, callback) => {
        connect({ ...options, ...to }, callback);
      },
    });
  }

  /** Resolves also if nothing was heard. Rejects only if `signal` is aborted. */
  async ask(request: StoreRequest, options: AskOptions = {}): Promise<StoreAnswer> {
    const answer = await this.#send(request, options);
    if (answer.code !== kSkewed || !this.#setClock(answer)) return answer;
    return this.#send(request, options);
  }

  /** Requests on their way fail. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /** Closes the connections when the requests on their way have ended. */
  async retire(): Promise<void> {
    await this.#pool.close();
  }

  /** False if the store does not tell its time, or was asked with it already. */
  #setClock({ headers }: StoreAnswer): boolean {
    const skewMs = Date.parse(headers['date'] ?? '') - Date.now();
    // This machine's clock may be set right later.
    if (!(Math.abs(skewMs - this.#skewMs) > kSkewMs)) return false;
    this.#skewMs = skewMs;
    return true;
  }

  #signed({ method, key, query = {}, headers = {}, body }: StoreRequest) {
    const { address, place, credentials } = this.#settings;
    const whole = key === undefined ? '/' : `/${place.prefix}${key}`;
    const path = address.bucketPath + whole.split('/').map(encoded).join('/');
    const pairs = Object.entries(query).map(
      ([name, value]) => `${encoded(name)}=${encoded(value)}`,
    );
    const type = body === undefined ? {} : { 'Content-Type': 'application/octet-stream' };
    const date = new Date(Date.now() + this.#skewMs).toUTCString();
    return aws4.sign(
      {
        ...{ method, host: address.host, service: 's3', region: address.region },
        path: pairs.length === 0 ? path : `${path}?${pairs.join('&')}`,
        headers: { ...type, ...headers, Date: date },
        ...(body === undefined ? {} : { body }),
      },
      credentials,
    );
  }

  async #send(
    request: StoreRequest,
    { signal, mostBytes = kMostBytes, timeoutMs }: AskOptions,
  ): Promise<StoreAnswer> {
    const { path = '/', headers = {} } = this.#signed(request);
    const { method, body = null } = request;
    const usualMs = kAnswerMs + Math.ceil((body?.length ?? 0) / kSlowestBytesPerMs);
    const timeout = AbortSignal.timeout(Math.max(1, timeoutMs ?? usualMs));
    const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    const began = performance.now();
    const since = (): number => performance.now() - began;
    try {
      const told = headers as Record<string, string>;
      // The signal is the only limit in time.
      const limits = { headersTimeout: 0, bodyTimeout: 0, signal: ended };
      const answer = await this.#pool.request({ method, path, body, headers: told, ...limits });
      const received = await bytesOf(answer.body, mostBytes);
      return answerOf(answer.statusCode, answer.headers, { body: received, ms: since() });
    } catch (error) {
      signal?.throwIfAborted();
      return unheard(reasonOf(error), since());
    }
  }
}

const unheard = (reason: string, ms: number): StoreAnswer => ({
  ...{ status: 0, body: Buffer.alloc(0), headers: {}, code: '', reason, ms },
});

async function bytesOf(stream: AsyncIterable<Buffer>, mostBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > mostBytes) throw new Error(`its answer has more than ${String(mostBytes)} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}

function answerOf(
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  { body, ms }: Pick<StoreAnswer, 'body' | 'ms'>,
): StoreAnswer {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const answer = { status, body, headers: Object.fromEntries(texts), code: '', reason: '', ms };
  if (isDone(answer)) return answer;
  const { code, message } = refusalOf(body);
  const told = [String(status), code, message].filter((text) => text !== '').join(' ');
  return { ...answer, code, reason: told };
}

/** Why nothing was heard. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it does not answer in time';
  const code = 'code' in error ? String(error.code) : '';
  // Of several addresses, each failure.
  const all =
    error instanceof AggregateError ? error.errors.map((one) => String(one)).join('; ') : '';
  return [error.message || all, code].filter((text) => text !== '').join(' ');
}
