/** Byte streams: read completely, opened lazily, released at the end, limited in time. */

import type { Guard } from '../query/limits/guard.js';
import type { ByteStream } from '../storage/storage.js';

/** The complete text in UTF-8. Closes the stream. */
export async function textOf(stream: ByteStream): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let piece = await stream.next(); piece !== null; piece = await stream.next()) {
      text += decoder.decode(piece, { stream: true });
    }
  } finally {
    stream.close();
  }
  return text;
}

/** Opens the stream at the first next(), so that errors become normal answers. */
export function piecesAfter(start: () => Promise<ByteStream>): ByteStream {
  let started: Promise<ByteStream> | null = null;
  let isClosed = false;
  return {
    next: async () => {
      if (isClosed) return null;
      const pieces = await (started ??= start());
      return pieces.next();
    },
    close: () => {
      isClosed = true;
      started?.then(
        (pieces) => {
          pieces.close();
        },
        () => undefined,
      );
    },
  };
}

/** Calls `release` at the end of the pieces. */
export function heldBy(pieces: ByteStream, release: () => void): ByteStream {
  return {
    next: async () => {
      try {
        const piece = await pieces.next();
        if (piece === null) release();
        return piece;
      } catch (error) {
        release();
        throw error;
      }
    },
    close: () => {
      pieces.close();
      release();
    },
  };
}

/** Waits for each piece as long as the guard allows. */
export function endedBy(guard: Guard, pieces: ByteStream): ByteStream {
  const close = (): void => {
    pieces.close();
  };
  return { next: () => guard.during(pieces.next(), close), close };
}
