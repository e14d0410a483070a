/** Prints the head of an answer. */

import { statusLine } from '../status-line.js';
import { hasNoBody, type AnswerHead } from '../transport.js';

import { kUnmetExpectation } from './head-reader.js';

/** Idle connections are closed after this time. Clients are told it, and close a little sooner. */
export const kIdleMs = 10_000;

interface Framed {
  /** `chunked`: pieces follow; `close`: the end of the connection ends the body. */
  readonly size: number | 'chunked' | 'close';
  readonly closes: boolean;
}

const kKept = `connection: keep-alive\r\nkeep-alive: timeout=${kIdleMs / 1000}\r\n`;

export function printHead(head: AnswerHead, { size, closes }: Framed): string {
  let text = `HTTP/1.1 ${statusLine(head.status)}\r\n`;
  if (head.contentType !== '') text += `content-type: ${head.contentType}\r\n`;
  if (head.headers !== undefined) {
    for (const [name, value] of head.headers) text += `${name}: ${value}\r\n`;
  }
  if (size === 'chunked') text += 'transfer-encoding: chunked\r\n';
  else if (size !== 'close' && !hasNoBody(head.status)) text += `content-length: ${size}\r\n`;
  text += dateLine();
  return `${text}${closes ? 'connection: close\r\n' : kKept}\r\n`;
}

let latest = { second: -1, line: '' };

function dateLine(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== latest.second) {
    latest = { second, line: `date: ${new Date(second * 1000).toUTCString()}\r\n` };
  }
  return latest.line;
}

/** An answer from below the routes. It closes the connection. */
export function printRefusal(status: string): string {
  const body = refusalBody(status);
  return (
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${dateLine()}connection: close\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

export function refusalBody(status: string): string {
  const isExpectation = status === kUnmetExpectation;
  return JSON.stringify({
    error: isExpectation
      ? 'the only supported Expect value is 100-continue'
      : 'the HTTP request is malformed, too large, or came too slowly',
    code: 'invalid_request',
    status: Number(status.slice(0, 3)),
  });
}
