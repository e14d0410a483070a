/** Answers that are ready soon and complete, or not at all. */

import type { Guard } from '../../query/limits/guard.js';
import type { ByteStream } from '../../storage/storage.js';

/** Larger answers are not short. */
const kSizeMax = 1024 * 1024;

/**
 * An answer is short that takes so many looks of the clock. While other statements hold the thread
 * the clock has none: beside them the same answer takes longer.
 */
const kLookMs = 10;
const kLooks = 25;

/**
 * All that `open` gives soon; null where it takes longer or is more, and then it is given up.
 * Throws what it fails with in that time.
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

/** Returns them in order. */
export function streamOf(pieces: readonly Uint8Array[]): ByteStream {
  let at = 0;
  return {
    next: () => Promise.resolve(pieces[at++] ?? null),
    close: () => undefined,
  };
}
