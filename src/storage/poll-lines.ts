/**
 * Lines of JSON on long work, from a stream that answers at once with how far it is: the first
 * looks follow each other quickly, so that short work ends soon, and none is later than a second.
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
