/**
 * Decompresses input. Node.js decodes Zstandard from 22.15 on, otherwise the program `zstd` does:
 * both verify the checksum.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pipeline, type Duplex, type Readable } from 'node:stream';
import * as zlib from 'node:zlib';

import { elided } from '../../common/model/visible-text.js';
import { CommandFailure } from '../session/failure.js';
import { readReasonOf, systemCodeOf } from '../session/file-reason.js';

import type { Compression } from '../../common/tables/compression.js';

/** Decompresses; `name` appears in its CommandFailure. */
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
  // The reader gets errors of either end.
  pipeline(raw, decoder, () => undefined);
  return decoder as AsyncIterable<Buffer>;
}

/** zlib treats a zero byte after a member as padding and silently ignores the rest. */
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
  if (gunzip.bytesWritten !== size) throw new Error('the gzip data has bytes after its end');
}

/** Parts of `node:zlib` that older versions lack. */
interface ZstdReading {
  readonly createZstdDecompress?: (options: { readonly chunkSize: number }) => Duplex;
}

function decompressedZstd(raw: Readable | AsyncGenerator<Buffer>): AsyncIterable<Buffer> {
  const { createZstdDecompress } = zlib as ZstdReading;
  return createZstdDecompress === undefined
    ? byProgram(raw)
    : through(raw, createZstdDecompress({ chunkSize }));
}

/** The longest message of the program that is shown, in units of UTF-16. */
const kWordsMax = 1000;

/** The message of zstd without its name for the standard input. */
const reasonIn = (words: string): string =>
  words.trim().replace(/^(?:zstd: )?\/\*stdin\*\\ ?: /, '');

/** True if the program ended before it took the whole input: its own message has the cause. */
const isEndOfReader = (error: Error): boolean =>
  ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(String(systemCodeOf(error)));

async function* byProgram(raw: Readable | AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const child = spawn('zstd', ['-dcq'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null]>;
  // Awaited at the end; until then its rejection must not count as unhandled.
  closed.catch(() => undefined);
  let words = '';
  // A character may arrive in two pieces.
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    if (words.length <= kWordsMax) words += piece;
  });
  let rawFault: unknown = null;
  pipeline(raw, child.stdin, (error) => {
    if (error && !isEndOfReader(error)) rawFault = error;
  });
  try {
    yield* child.stdout as AsyncIterable<Buffer>;
    const [code] = await closed;
    if (rawFault !== null) throw rawFault as Error;
    if (code !== 0) throw new Error(elided(reasonIn(words), kWordsMax));
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    throw new CommandFailure(
      'a Zstandard file needs the program zstd, or Node.js 22.15 or newer: install one of them',
    );
  } finally {
    child.kill();
  }
}
