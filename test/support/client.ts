/**
 * A plain HTTP client of the public API. It parses timestamps as bigints, because JavaScript
 * numbers cannot hold them all, and checks the text strictly, so that a torn answer is detected.
 */
import http from 'node:http';
import net from 'node:net';

export interface Sample {
  readonly ts: bigint;
  /** Null if JSON cannot express the value. */
  readonly value: number | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sent chunked, one piece at a time, instead of `body`. */
  readonly pieces?: readonly (string | Uint8Array)[];
}

/** A selector of series and time. If labels are `undefined`, the bare name is sent. */
export interface RangeSelector {
  readonly metric?: string;
  readonly series?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly start: bigint;
  readonly end: bigint;
}

export const minimumTs = -(2n ** 63n);
export const maximumTs = 2n ** 63n - 1n;

/** One server's API, over connections that stay open. */
export class Client {
  /**
   * Servers close idle connections. This agent drops them earlier, so that no request meets that
   * close.
   */
  private readonly agent = new http.Agent({ keepAlive: true, timeout: 4_000 });
  private readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  close(): void {
    this.agent.destroy();
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = http.request(
        {
          host: '127.0.0.1',
          port: this.port,
          method,
          path,
          agent: this.agent,
          headers: requestHeaders(options),
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('close', () => {
            if (!response.complete) reject(new Error('the answer was cut short'));
          });
          response.on('end', () => {
            const body = Buffer.concat(chunks).toString('utf8');
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
          });
        },
      );
      request.on('error', reject);
      for (const piece of options.pieces ?? []) request.write(piece);
      request.end(options.body);
    });
  }

  async get(path: string): Promise<Answer> {
    return this.request('GET', path);
  }

  async postJson(path: string, text: string): Promise<Answer> {
    return this.request('POST', path, { body: text });
  }

  /** Sends NDJSON lines. Resolves with the number of samples ingested; rejects unless it is 200. */
  async ingest(lines: string): Promise<number> {
    const answer = await this.request('POST', '/api/v1/ingest', { body: lines });
    if (answer.status !== 200) throw new UnexpectedAnswer('ingest', answer);
    return Number(/"ingested":(\d+)/.exec(answer.body)?.[1] ?? NaN);
  }

  /** Reads a range through the query string. */
  async rangeGet(selector: RangeSelector): Promise<Sample[]> {
    const query = new URLSearchParams({
      start: String(selector.start),
      end: String(selector.end),
    });
    if (selector.metric !== undefined) query.set('metric', selector.metric);
    if (selector.series !== undefined) query.set('series', selector.series);
    if (selector.labels !== undefined) {
      const key = selector.metric === undefined ? 'tags' : 'labels';
      query.set(key, JSON.stringify(selector.labels));
    }
    return samplesOf(await this.get(`/api/v1/query/range?${query.toString()}`));
  }

  /** Reads a range through a JSON body. */
  async rangePost(selector: RangeSelector): Promise<Sample[]> {
    const key = selector.metric === undefined ? 'tags' : 'labels';
    const parts = [
      `"start":${String(selector.start)}`,
      `"end":${String(selector.end)}`,
      ...(selector.metric === undefined ? [] : [`"metric":${JSON.stringify(selector.metric)}`]),
      ...(selector.series === undefined ? [] : [`"series":${JSON.stringify(selector.series)}`]),
      ...(selector.labels === undefined ? [] : [`"${key}":${JSON.stringify(selector.labels)}`]),
    ];
    return samplesOf(await this.postJson('/api/v1/query/range', `{${parts.join(',')}}`));
  }
}

/** Thrown if the server's answer is not the expected one. */
export class UnexpectedAnswer extends Error {
  readonly answer: Answer;

  constructor(what: string, answer: Answer) {
    super(`${what} was answered with ${String(answer.status)}: ${answer.body.slice(0, 300)}`);
    this.answer = answer;
  }
}

function requestHeaders(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.pieces === undefined && options.body !== undefined) {
    headers['content-length'] = String(Buffer.byteLength(options.body));
  }
  return headers;
}

function samplesOf(answer: Answer): Sample[] {
  if (answer.status !== 200) throw new UnexpectedAnswer('range', answer);
  return parseSamples(answer.body);
}

/** Reads `[{"ts":1,"value":2},…]` exactly; throws on any other text. */
export function parseSamples(text: string): Sample[] {
  const samples: Sample[] = [];
  const item = /\{"ts":(-?\d+),"value":(null|-?\d[\d.eE+-]*)\}([,\]])/y;
  if (text === '[]') return samples;
  if (!text.startsWith('[')) throw new Error(`not a list of samples: ${text.slice(0, 80)}`);
  item.lastIndex = 1;
  for (;;) {
    const at = item.lastIndex;
    const match = item.exec(text);
    const [, ts, value, follow] = match ?? [];
    if (ts === undefined || value === undefined) {
      throw new Error(`not a sample at ${String(at)}: ${text.slice(at, at + 80)}`);
    }
    samples.push({ ts: BigInt(ts), value: value === 'null' ? null : Number(value) });
    if (follow === ']') break;
  }
  if (item.lastIndex !== text.length) throw new Error('text after the list of samples');
  return samples;
}

/**
 * Sends raw bytes and returns the answer until the server closes the connection, or is silent for
 * `quietMs`; `answerMs` is the limit for the first byte.
 */
export async function rawExchange(
  port: number,
  bytes: string | Uint8Array,
  quietMs = 500,
  answerMs = quietMs,
) {
  return new Promise<{ readonly text: string; readonly isClosed: boolean }>((resolve) => {
    let text = '';
    const socket = net.connect({ host: '127.0.0.1', port });
    const finish = (isClosed: boolean): void => {
      socket.destroy();
      resolve({ text, isClosed });
    };
    socket.setTimeout(answerMs, () => {
      finish(false);
    });
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      socket.setTimeout(quietMs);
    });
    socket.on('error', () => {
      finish(true);
    });
    socket.on('close', () => {
      finish(true);
    });
    socket.on('connect', () => socket.write(bytes));
  });
}

/** Sends `first`, waits for any answer to it, sends `second`, and returns all that came back. */
export async function exchangeInTwo(port: number, first: string, second: string, quietMs = 500) {
  return new Promise<string>((resolve) => {
    let text = '';
    const socket = net.connect({ host: '127.0.0.1', port });
    socket.setTimeout(quietMs, () => {
      socket.destroy();
    });
    socket.on('data', (chunk: Buffer) => {
      if (text === '') socket.write(second);
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(text);
    });
    socket.on('connect', () => socket.write(first));
  });
}
