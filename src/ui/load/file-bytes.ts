/** Reads and decompresses a file, and converts bytes to Latin-1 text for the table reader. */

import { compressionOf, magicSize } from '../../common/tables/compression.js';

/** The number of call arguments that every engine accepts. */
const kCallMax = 8_192;

/** Each character is one byte; the "latin1" of TextDecoder is a different code page. */
export function bytesAsText(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += kCallMax) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + kCallMax)));
  }
  return parts.join('');
}

/** Removes a UTF-8 byte order mark. */
function unmarked(bytes: Uint8Array): Uint8Array {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return isMarked ? bytes.subarray(3) : bytes;
}

interface OpenedBytes {
  readonly pieces: AsyncGenerator<Uint8Array>;
  /** The number of bytes read from the file itself. */
  readonly position: () => number;
}

/** Reading the pieces rejects if the file cannot be read or decompressed. */
export async function openBytes(file: Blob): Promise<OpenedBytes> {
  const head = new Uint8Array(await file.slice(0, magicSize).arrayBuffer());
  const compression = compressionOf(head);
  if (compression === 'zstd') {
    throw new Error('It is compressed with zstd, which browsers do not read.');
  }
  let position = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        position += piece.length;
        controller.enqueue(piece);
      },
    }),
  );
  const isGzip = compression === 'gzip';
  const stream = isGzip ? counted.pipeThrough(new DecompressionStream('gzip')) : counted;
  return { pieces: piecesOf(stream), position: () => position };
}

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
  } finally {
    await reader.cancel();
  }
}

export interface FileBeginning {
  /** Without a UTF-8 byte order mark. */
  readonly bytes: Uint8Array;
  /** True if the file ends here. */
  readonly isWhole: boolean;
}

/** Closes the rest of the stream. */
export async function readBeginning(file: Blob, size: number): Promise<FileBeginning> {
  const { pieces } = await openBytes(file);
  const bytes = new Uint8Array(size);
  let filled = 0;
  for await (const piece of pieces) {
    const taken = piece.subarray(0, size - filled);
    bytes.set(taken, filled);
    filled += taken.length;
    if (taken.length < piece.length || filled === size) {
      return { bytes: unmarked(bytes), isWhole: false };
    }
  }
  return { bytes: unmarked(bytes.subarray(0, filled)), isWhole: true };
}

/** Removes a UTF-8 byte order mark from the first piece. */
export async function* withoutMark(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array | null = new Uint8Array(0);
  for await (const piece of pieces) {
    if (held === null) {
      yield piece;
      continue;
    }
    const joined: Uint8Array = new Uint8Array(held.length + piece.length);
    joined.set(held);
    joined.set(piece, held.length);
    held = joined;
    if (held.length < 3) continue;
    yield unmarked(held);
    held = null;
  }
  if (held !== null) yield unmarked(held);
}
