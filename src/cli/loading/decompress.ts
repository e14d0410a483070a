/**
 * Compressed bytes, told by how they begin. Zstandard is decoded by Node.js from 22.15 on, else by
 * the program `zstd`: both check the sum of the content.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pipeline, type Duplex, type Readable } from 'node:stream';
import * as zlib from 'node:zlib';

import { CommandFailure } from '../session/failure.js';
import { readReasonOf, systemCodeOf } from '../session/file-reason.js';

const magics = { gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] } as const;
type Compression = keyof typeof magics;

/** So many bytes tell it. */
export const magicSize = 4;

export function compressionOf(bytes: Buffer): Compression | null {
  const isOf = (one: Compression): boolean => magics[one].every((byte, at) => bytes[at] === byte);
  return isOf('gzip') ? 'gzip' : isOf('zstd') ? 'zstd' : null;
}

/** What is compressed; `name` stands in what it throws, CommandFailure. */
export async function* decompressed(
  name: string,
  raw: Readable | AsyncGenerator<Buffer>,
  compression: Compression | null,
): AsyncGenerator<Buffer> {
  try {
    if (compression === null) yield* raw as AsyncIterable<Buffer>;
    else if (compression === 'gzip') yield* gunzipped(raw);
    else yield* decompressedZstd(raw);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`cannot read ${name}: ${readReasonOf(error)}`);
  }
}

const chunkSize = 256 * 1024;

function through(raw: Readable | AsyncGenerator<Buffer>, decoder: Duplex): AsyncIterable<Buffer> {
  // An error of either end comes out of whoever reads.
  pipeline(raw, decoder, () => undefined);
  return decoder as AsyncIterable<Buffer>;
}

/** zlib takes a zero byte behind a member for padding, and silently reads nothing behind it. */
async function* gunzipped(raw: Readable | AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = zlib.createGunzip({ chunkSize });
  let size = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of raw as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      yield chunk;
    }
  };
  yield* through(counted(), gunzip);
  if (gunzip.bytesWritten !== size) throw new Error('the gzip data has bytes behind its end');
}

/** What of `node:zlib` younger versions have. */
interface ZstdModule {
  readonly createZstdDecompress?: (options: { readonly chunkSize: number }) => Duplex;
}

function decompressedZstd(raw: Readable | AsyncGenerator<Buffer>): AsyncIterable<Buffer> {
  const { createZstdDecompress } = zlib as ZstdModule;
  return createZstdDecompress === undefined
    ? byProgram(raw)
    : through(raw, createZstdDecompress({ chunkSize }));
}

async function* byProgram(raw: Readable | AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const child = spawn('zstd', ['-dcq'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null]>;
  // It is awaited at the end; until then nobody else must hear of its failure.
  closed.catch(() => undefined);
  let words = '';
  child.stderr.on('data', (piece: Buffer) => {
    words = `${words}${piece.toString()}`.slice(0, 1000);
  });
  let rawFault: unknown = null;
  pipeline(raw, child.stdin, (error) => {
    if (error && systemCodeOf(error) !== 'EPIPE') rawFault = error;
  });
  try {
    yield* child.stdout as AsyncIterable<Buffer>;
    const [code] = await closed;
    if (rawFault !== null) throw rawFault as Error;
    if (code !== 0) throw new Error(words.trim().replace(/^(?:zstd: )?\/\*stdin\*\\ ?: /, ''));
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    throw new CommandFailure(
      'a file of Zstandard needs the program zstd, or Node.js 22.15 or newer: install one of them',
    );
  } finally {
    child.kill();
  }
}
