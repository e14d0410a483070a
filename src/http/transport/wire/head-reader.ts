/**
 * The head of a request, from bytes. It takes what RFC 9112 writes and nothing else: lines end with
 * CRLF, names are tokens, no line is folded, so that no proxy in front reads another request.
 */

import { addHeader, emptyHead, type RequestHead } from '../transport.js';

export const kHeadSizeMax = 16_384;
const kHeaderCountMax = 100;

export const kMalformed = '400 Bad Request';
const kTooLarge = '431 Request Header Fields Too Large';
const kUnknownVersion = '505 HTTP Version Not Supported';

export interface ReadHead {
  readonly head: RequestHead;
  /** Bytes on the wire. */
  readonly size: number;
  readonly isVersion10: boolean;
  /** The client takes no further answer over this connection. */
  readonly isLast: boolean;
  /** Sends its body when it is told to. */
  readonly expectsContinue: boolean;
}

/** The status line of a refusal. */
type HeadFault = typeof kMalformed | typeof kTooLarge | typeof kUnknownVersion;

const kTarget = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([!-~\x80-\xff]+) HTTP\/(\d)\.(\d)\r\n/y;
const kField = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t -~\x80-\xff]*)\r\n/y;
/** No head has these, so that its end need not be waited for. */
const kForeign = /(?:^|[^\r])\n|[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;
const kBeyondAscii = /[\x80-\xff]/;

/** Null: its end has not come. `from` is where it begins, behind empty lines. */
export function readHead(bytes: Buffer, from: number): ReadHead | HeadFault | null {
  const end = bytes.indexOf('\r\n\r\n', from, 'latin1');
  const size = (end < 0 ? bytes.length : end + 4) - from;
  if (size > kHeadSizeMax) return kTooLarge;
  const text = bytes.toString('latin1', from, from + size);
  if (end < 0) return kForeign.test(text) ? kMalformed : null;
  kTarget.lastIndex = 0;
  const [line, method = '', target = '', major, minor] = kTarget.exec(text) ?? [];
  // Its only use is a tunnel.
  if (line === undefined || method === 'CONNECT') return kMalformed;
  if (major !== '1') return kUnknownVersion;
  const isVersion10 = minor === '0';
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? '' : target.slice(mark + 1);
  const head = emptyHead(method, textOf(path), textOf(query));
  const told = readFields(text, line.length, head);
  if (typeof told === 'string') return told;
  if (head.host === undefined && !isVersion10) return kMalformed;
  // Whoever passed it on need not know chunks.
  if (isVersion10 && head.transferEncoding !== undefined) return kMalformed;
  const { connection, expect } = told;
  const isLast =
    hasToken(connection, 'close') || (isVersion10 && !hasToken(connection, 'keep-alive'));
  const expectsContinue = !isVersion10 && expect.toLowerCase() === '100-continue';
  return { head, size, isVersion10, isLast, expectsContinue };
}

interface ToldToTransport {
  connection: string;
  expect: string;
}

/** Fills `head`. */
function readFields(text: string, from: number, head: RequestHead): ToldToTransport | HeadFault {
  const told: ToldToTransport = { connection: '', expect: '' };
  const end = text.length - 2;
  let at = from;
  for (let count = 0; at < end; count += 1) {
    if (count === kHeaderCountMax) return kTooLarge;
    kField.lastIndex = at;
    const field = kField.exec(text);
    if (field === null) return kMalformed;
    at = kField.lastIndex;
    const name = (field[1] ?? '').toLowerCase();
    const value = trimmed(field[2] ?? '');
    if (name === 'connection') told.connection += `,${value}`;
    else if (name === 'expect') told.expect = value;
    else addHeader(head, name, value);
  }
  return told;
}

/** Whether these are lines of headers, each with its CRLF. */
export function isTrailer(lines: string): boolean {
  return typeof readFields(`${lines}\r\n`, 0, emptyHead('', '', '')) !== 'string';
}

function hasToken(list: string, token: string): boolean {
  if (list === '') return false;
  return list.split(',').some((one) => trimmed(one).toLowerCase() === token);
}

/** What clients do not encode is taken for UTF-8. */
function textOf(part: string): string {
  return kBeyondAscii.test(part) ? Buffer.from(part, 'latin1').toString('utf8') : part;
}

/** Without spaces and tabs around it; `trim` takes more for blank. */
function trimmed(value: string): string {
  let [start, end] = [0, value.length];
  while (start < end && isBlank(value.charCodeAt(start))) start += 1;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1;
  return value.slice(start, end);
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}
