/** A stream of UTF-8 read to its end. */

import type { ByteStream } from '../storage/storage.js';

/** Closes the stream. */
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
