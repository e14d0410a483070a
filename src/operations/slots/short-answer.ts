/** Reads answers that are complete within a short time, or gives up. */

import type { Guard } from '../../query/limits/guard.js';
import type { ByteStream } from '../../storage/storage.js';

/** The largest short answer, in bytes. */
const kSizeMax = 1024 * 1024;

/**
 * An answer is short if it takes fewer than `kLooks` ticks of the clock. While other statements
 * block the thread, the clock does not tick. So an answer beside them may take longer.
 */
const kLookMs = 10;
const kLooks = 25;

/**
 * The complete answer of `open`. Null if it takes longer or is larger; then it is cancelled. Throws
 * the errors of that time.
 */
export async function shortAnswer(
  guard: Guard,
  open: (guard: Guard) => Promise<ByteStream>,
): Promise<ByteStream | null> {
  const hurried = guard.twin();
  let looks = 0;
  const clock = setInterval(() => {
    looks += 1;
    if (looks === kLooks) hurried.cancel();
  }, kLookMs);
  try {
    return await wholeOf(hurried, await opened(hurried, open(hurried)));
  } catch (error) {
    if (looks >= kLooks && !guard.isOver) return null;
    throw error;
  } finally {
    clearInterval(clock);
    hurried.cancel();
    hurried.end();
  }
}

/** Closes the reader if it comes too late. */
function opened(guard: Guard, opening: Promise<ByteStream>): Promise<ByteStream> {
  return guard.during(opening, () => {
    opening.then(
      (late) => {
        late.close();
      },
      () => undefined,
    );
  });
}

async function wholeOf(guard: Guard, stream: ByteStream): Promise<ByteStream | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    while (size <= kSizeMax) {
      const piece = await guard.during(stream.next(), () => undefined);
      if (piece === null) return streamOf(pieces);
      pieces.push(piece);
      size += piece.byteLength;
    }
    return null;
  } finally {
    stream.close();
  }
}

/** A stream of these pieces, in order. */
export function streamOf(pieces: readonly Uint8Array[]): ByteStream {
  let at = 0;
  return {
    next: () => Promise.resolve(pieces[at++] ?? null),
    close: () => undefined,
  };
}
