/** The answer of a route. */

import type { AnswerHead } from '../transport/transport.js';

/** Pieces of a body, pulled one at a time; null is the end. */
export interface BodyPieces {
  next(): Promise<Uint8Array | null>;
  close(): void;
}

export type Reply = AnswerHead & {
  readonly body: string | Uint8Array | BodyPieces;
  /** The body is already compressed: it is sent unchanged to every client. */
  readonly isDense?: boolean;
};

const kJson = 'application/json';

export function jsonReply(body: string | Uint8Array, status = 200): Reply {
  return { status, contentType: kJson, body };
}

/** A 204 answer, which has neither body nor content type. */
export function emptyReply(headers: AnswerHead['headers'] = []): Reply {
  return { status: 204, contentType: '', headers, body: '' };
}

export function streamReply(body: BodyPieces): Reply {
  return { status: 200, contentType: kJson, body };
}

export function isStreamed(body: Reply['body']): body is BodyPieces {
  return typeof body === 'object' && 'next' in body;
}
