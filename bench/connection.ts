/**
 * The cheapest possible client, since it shares the machine with the server. It uses one raw
 * socket. Requests are built before the clock runs and sent one at a time; answers go into one
 * buffer.
 */
import net from 'node:net';

const receiveBufferBytes = 1 << 18;
const endOfHead = Buffer.from('\r\n\r\n');
const endOfChunks = Buffer.from('0\r\n\r\n');

/** Ingest formats with their paths and headers. */
export const forms = {
  ndjson: { path: '/api/v1/ingest', headers: 'Content-Type: application/x-ndjson' },
  line: { path: '/api/v2/write', headers: 'Content-Type: text/plain' },
  remoteWrite: {
    path: '/api/v1/write',
    headers: 'Content-Type: application/x-protobuf\r\nContent-Encoding: snappy',
  },
  otlp: { path: '/v1/metrics', headers: 'Content-Type: application/x-protobuf' },
} as const;

/** A complete ingest request. */
export const ingestRequest = (body: Uint8Array): Buffer => writeRequestOf('ndjson', body);
export const lineRequest = (body: Uint8Array): Buffer => writeRequestOf('line', body);
export const remoteWriteRequest = (body: Uint8Array): Buffer => writeRequestOf('remoteWrite', body);
export const otlpRequest = (body: Uint8Array): Buffer => writeRequestOf('otlp', body);

/** A remote_read request in snappy; it has the headers of remote_write. */
export const remoteReadRequest = (body: Uint8Array): Buffer =>
  writeRequestOf('remoteWrite', body, '/api/v1/read');

/** `path` is the ingest path of another server. */
export function writeRequestOf(
  form: keyof typeof forms,
  body: Uint8Array,
  path: string = forms[form].path,
): Buffer {
  const { headers } = forms[form];
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
  const length = `Content-Length: ${String(body.length)}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head + length), body]);
}

/** A complete POST request with a JSON body. */
export function jsonRequest(path: string, body: string): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`);
}

/** A complete GET request. `coding` is the encoding of the answer. */
export function getRequest(path: string, coding = 'identity'): Buffer {
  const accepted = coding === 'identity' ? '' : `Accept-Encoding: ${coding}\r\n`;
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${accepted}\r\n`);
}

export interface RawAnswer {
  readonly status: number;
  /** Bytes of head and body on the wire. */
  readonly bytes: number;
  /** The raw answer, chunk headers included; empty unless it was requested. */
  readonly text: string;
}

/** The server closed the connection before the end of its answer. */
export class HangUp extends Error {
  /** The received bytes of that answer. A query that times out while streaming has some. */
  readonly received: number;

  constructor(received: number) {
    super(`the server hung up after ${String(received)} bytes of its answer`);
    this.received = received;
  }
}

/** One keep-alive connection with at most one request in progress. */
export class Connection {
  private readonly socket: net.Socket;
  private pending: Pending | null = null;

  private constructor(port: number, opened: () => void, failed: (error: Error) => void) {
    this.socket = net.connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(receiveBufferBytes),
        callback: (count, buffer) => {
          this.receive(Buffer.from(buffer.buffer, buffer.byteOffset, count));
          return true;
        },
      },
    });
    this.socket.once('connect', opened);
    this.socket.on('error', (error) => {
      failed(error);
      this.pending?.reject(error);
    });
    this.socket.on('close', () => this.pending?.reject(new HangUp(this.pending.received)));
  }

  static async open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = new Connection(
        port,
        () => {
          resolve(connection);
        },
        reject,
      );
    });
  }

  /**
   * Sends one request and waits for the end of its answer. The server closes connections that are
   * idle for seconds.
   */
  async exchange(request: Buffer, options = { keepText: false }): Promise<RawAnswer> {
    if (!this.socket.writable) throw new HangUp(0);
    return new Promise((resolve, reject) => {
      this.pending = new Pending(resolve, reject, options.keepText);
      this.socket.write(request);
    });
  }

  /** Ingests all bodies, one after the other. */
  async ingest(bodies: Iterable<Buffer>): Promise<void> {
    for (const body of bodies) await this.store(ingestRequest(body));
  }

  /** Sends an ingest request. Throws unless it is acknowledged. */
  async store(request: Buffer): Promise<void> {
    const { status } = await this.exchange(request);
    if (status !== 200) throw new Error(`ingest was answered with ${String(status)}`);
  }

  close(): void {
    this.pending = null;
    this.socket.destroy();
  }

  private receive(chunk: Buffer): void {
    const pending = this.pending;
    if (pending === null || !pending.take(chunk)) return;
    this.pending = null;
    pending.finish();
  }
}

/** The incoming answer. */
class Pending {
  private readonly resolve: (answer: RawAnswer) => void;
  readonly reject: (error: Error) => void;
  private readonly keepText: boolean;
  private status = 0;
  received = 0;
  private head = Buffer.alloc(0);
  private hasHead = false;
  private headSize = 0;
  // Negative: the answer is chunked and ends with an empty chunk.
  private expected = -1;
  private tail = Buffer.alloc(0);
  private readonly kept: Buffer[] = [];

  constructor(
    resolve: (answer: RawAnswer) => void,
    reject: (error: Error) => void,
    keepText: boolean,
  ) {
    this.resolve = resolve;
    this.reject = reject;
    this.keepText = keepText;
  }

  /** Takes received bytes. Returns true when the answer is complete. */
  take(chunk: Buffer): boolean {
    this.received += chunk.length;
    if (this.keepText) this.kept.push(Buffer.from(chunk));
    if (this.hasHead) return this.isWhole(chunk);
    return this.takeHead(chunk) && this.isWhole(this.head.subarray(this.headSize));
  }

  /** `body` is the part of the body received now. */
  private isWhole(body: Buffer): boolean {
    if (this.expected >= 0) return this.received >= this.expected;
    return this.endsWithEmptyChunk(body);
  }

  finish(): void {
    const text = Buffer.concat(this.kept).toString('latin1');
    this.resolve({ status: this.status, bytes: this.received, text });
  }

  private takeHead(chunk: Buffer): boolean {
    this.head = Buffer.concat([this.head, chunk]);
    const end = this.head.indexOf(endOfHead);
    if (end < 0) return false;
    this.hasHead = true;
    this.headSize = end + endOfHead.length;
    const text = this.head.toString('latin1', 0, end);
    this.status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    const size = this.status === 204 ? '0' : length;
    if (size !== undefined) this.expected = this.headSize + Number(size);
    return true;
  }

  private endsWithEmptyChunk(chunk: Buffer): boolean {
    const size = endOfChunks.length;
    if (chunk.length >= size) {
      this.tail = Buffer.from(chunk.subarray(chunk.length - size));
    } else {
      const joined = Buffer.concat([this.tail, chunk]);
      this.tail = Buffer.from(joined.subarray(Math.max(0, joined.length - size)));
    }
    return this.tail.equals(endOfChunks);
  }
}

/** The text of a kept answer's body. */
export function bodyText(answer: RawAnswer): string {
  const at = answer.text.indexOf('\r\n\r\n');
  const head = answer.text.slice(0, at);
  const body = answer.text.slice(at + 4);
  return /\r\ntransfer-encoding: *chunked/i.test(head) ? joinChunks(body) : body;
}

function joinChunks(text: string): string {
  let joined = '';
  let at = 0;
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    if (!(size > 0)) return joined;
    joined += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
}
