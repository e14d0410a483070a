/**
 * Polls a stream that reports the progress of long work in JSON lines and answers at once. The
 * first polls follow quickly, so that short work ends soon; later ones are at most a second apart.
 */

import { setTimeout as pause } from 'node:timers/promises';

import { AppError } from '../common/errors/app-error.js';

import type { ByteStream } from './storage.js';

const kFirstWaitMs = 5;
const kWaitMaxMs = 1000;

/** `lines` gives one line per piece; the last one has the kind `end`. */
export function pollLines(lines: ByteStream): ByteStream {
  const closing = new AbortController();
  let waitMs = 0;
  let isEnded = false;
  return {
    next: async () => {
      if (isEnded) return null;
      await pause(waitMs, undefined, { signal: closing.signal }).catch(() => {
        throw new AppError('closed', 'the request was cancelled');
      });
      waitMs = Math.min(Math.max(2 * waitMs, kFirstWaitMs), kWaitMaxMs);
      const piece = await lines.next();
      isEnded = piece === null || isLast(piece);
      return piece;
    },
    close: () => {
      closing.abort();
      lines.close();
    },
  };
}

function isLast(piece: Uint8Array): boolean {
  const line = JSON.parse(new TextDecoder().decode(piece)) as { readonly kind: string };
  return line.kind === 'end';
}
