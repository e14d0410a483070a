/** Answers as raw bytes, which fetch would decompress, and their decoders. */
import http from 'node:http';
import * as zlib from 'node:zlib';

export interface CodedAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** False: the connection broke before the end. */
  readonly isWhole: boolean;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: http.Agent;
}

/** The answer's head, with its body still to be read. */
export function openCoded(port: number, path: string, asked: Asked): Promise<http.IncomingMessage> {
  const { body, method = body === undefined ? 'GET' : 'POST', headers = {}, agent } = asked;
  return new Promise((resolve, reject) => {
    const host = '127.0.0.1';
    const options = { host, port, path, method, headers, agent: agent ?? false };
    http.request(options, resolve).on('error', reject).end(body);
  });
}

export async function askCoded(port: number, path: string, asked: Asked): Promise<CodedAnswer> {
  const response = await openCoded(port, path, asked);
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    // `isWhole` reports a broken connection.
    response.on('error', () => undefined);
    response.on('close', () => {
      const { statusCode: status = 0, headers, complete: isWhole } = response;
      resolve({ status, headers, bytes: Buffer.concat(chunks), isWhole });
    });
  });
}

/** The part of `node:zlib` that only newer versions have. */
interface ZstdModule {
  readonly zstdDecompressSync?: (bytes: Uint8Array) => Buffer;
}
const { zstdDecompressSync } = zlib as ZstdModule;

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
  ...(zstdDecompressSync === undefined ? {} : { zstd: zstdDecompressSync }),
};

/** The encodings that the server uses on this Node.js. */
export const codingsHere: readonly string[] = Object.keys(decoders);

/** Decodes; throws unless the bytes are complete and valid. */
export function decoded({ headers, bytes }: Pick<CodedAnswer, 'headers' | 'bytes'>): string {
  const coding = headers['content-encoding'];
  const decode = coding === undefined ? undefined : decoders[coding];
  return (decode === undefined ? bytes : decode(bytes)).toString('utf8');
}
