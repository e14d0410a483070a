/**
 * Parses the head of a request, strictly by RFC 9112. Lines end with CRLF, names are tokens, and no
 * line is folded. So no proxy in front can see another request.
 */

import { addHeader, emptyHead, headWith, type RequestHead } from '../transport.js';

export const kHeadSizeMax = 16_384;
const kHeaderCountMax = 100;
/** Longer than most heads. Also the limit of the header lines that a connection remembers. */
const kUsualSize = 1_024;
const kRememberedMax = kUsualSize;
const kHeadEnd = '\r\n\r\n';

export const kMalformed = '400 Bad Request';
const kTooLarge = '431 Request Header Fields Too Large';
export const kUnmetExpectation = '417 Expectation Failed';
const kUnknownVersion = '505 HTTP Version Not Supported';

export interface ReadHead {
  readonly head: RequestHead;
  /** Bytes on the wire. */
  readonly size: number;
  readonly isVersion10: boolean;
  /** True if the client accepts no further answer on this connection. */
  readonly isLast: boolean;
  /** True if the client waits for 100 Continue before it sends its body. */
  readonly expectsContinue: boolean;
}

/** The status line of a refusal. */
type HeadFault =
  typeof kMalformed | typeof kTooLarge | typeof kUnmetExpectation | typeof kUnknownVersion;

const kTarget = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([!-~\x80-\xff]+) HTTP\/(\d)\.(\d)\r\n/y;
/** All header lines, with the empty line behind them. One match costs less than one per line. */
const kFields = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~\x80-\xff]*\r\n)*\r\n$/;
/** Bytes that no head contains. A head with them is refused before its end arrives. */
const kForeign = /(?:^|[^\r])\n|[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;
const kBeyondAscii = /[\x80-\xff]/;

/** The parsed header lines. */
interface Fields {
  readonly head: RequestHead;
  /** True if the client accepts no further answer on this connection. */
  readonly isLast: boolean;
  readonly expectsContinue: boolean;
  /** HTTP/1.1 without a host, or HTTP/1.0 with chunks. */
  readonly isUnsound: boolean;
}

/** Parses the heads of one connection, one after the other. */
export class HeadReader {
  /** The header lines of the latest head. Most clients repeat the same lines. */
  #latestLines = '';
  #latest: Fields | HeadFault = kMalformed;
  #isLatestVersion10 = false;

  /** Null if the head is incomplete. `from` is its offset, after empty lines. */
  read(bytes: Buffer, from: number): ReadHead | HeadFault | null {
    const text = headText(bytes, from);
    if (text === null) return kTooLarge;
    if (!text.endsWith(kHeadEnd)) return kForeign.test(text) ? kMalformed : null;
    kTarget.lastIndex = 0;
    const [line, method = '', target = '', major, minor] = kTarget.exec(text) ?? [];
    // The only use of CONNECT is a tunnel.
    if (line === undefined || method === 'CONNECT') return kMalformed;
    if (major !== '1') return kUnknownVersion;
    const isVersion10 = minor === '0';
    const fields = this.#fieldsOf(text.slice(line.length), isVersion10);
    if (typeof fields === 'string') return fields;
    if (fields.isUnsound) return kMalformed;
    const mark = target.indexOf('?');
    const path = textOf(mark < 0 ? target : target.slice(0, mark));
    const query = textOf(mark < 0 ? '' : target.slice(mark + 1));
    const { head, isLast, expectsContinue } = fields;
    return {
      head: headWith(head, { method, path, query }),
      size: text.length,
      isVersion10,
      isLast,
      expectsContinue,
    };
  }

  #fieldsOf(lines: string, isVersion10: boolean): Fields | HeadFault {
    if (lines === this.#latestLines && isVersion10 === this.#isLatestVersion10) {
      return this.#latest;
    }
    const fields = readFields(lines, isVersion10);
    if (typeof fields !== 'string' && lines.length <= kRememberedMax) {
      this.#latestLines = lines;
      this.#latest = fields;
      this.#isLatestVersion10 = isVersion10;
    }
    return fields;
  }
}

/**
 * The head with its end, or the part that has arrived. One UTF-16 unit per byte. Null if too large.
 */
function headText(bytes: Buffer, from: number): string | null {
  for (let most = kUsualSize; ; most = kHeadSizeMax + 1) {
    const text = bytes.toString('latin1', from, Math.min(bytes.length, from + most));
    const end = text.indexOf(kHeadEnd);
    if (end >= 0) {
      const size = end + kHeadEnd.length;
      return size > kHeadSizeMax ? null : text.slice(0, size);
    }
    if (text.length > kHeadSizeMax) return null;
    if (text.length < most) return text;
  }
}

function readFields(lines: string, isVersion10: boolean): Fields | HeadFault {
  const head = emptyHead('', '', '');
  const told = readLines(lines, head);
  if (typeof told === 'string') return told;
  const { connection, expect } = told;
  // A client of HTTP/1.0 may not understand either answer.
  const expectation = isVersion10 ? null : expectationOf(expect);
  if (expectation === 'unmet') return kUnmetExpectation;
  return {
    head,
    isLast: hasToken(connection, 'close') || (isVersion10 && !hasToken(connection, 'keep-alive')),
    expectsContinue: expectation === 'continue',
    // An HTTP/1.0 intermediary need not understand chunks.
    isUnsound: isVersion10 ? head.transferEncoding !== undefined : head.host === undefined,
  };
}

interface ToldToTransport {
  connection: string;
  expect: string;
}

/** Fills `head`. */
function readLines(text: string, head: RequestHead): ToldToTransport | HeadFault {
  if (!kFields.test(text)) return kMalformed;
  const told: ToldToTransport = { connection: '', expect: '' };
  const end = text.length - 2;
  let at = 0;
  for (let count = 0; at < end; count += 1) {
    if (count === kHeaderCountMax) return kTooLarge;
    const colon = text.indexOf(':', at);
    const lineEnd = text.indexOf('\r\n', colon);
    const name = text.slice(at, colon).toLowerCase();
    const value = trimmed(text.slice(colon + 1, lineEnd));
    at = lineEnd + 2;
    if (name === 'connection') told.connection += `,${value}`;
    else if (name === 'expect') told.expect += `,${value}`;
    else addHeader(head, name, value);
  }
  return told;
}

/** Returns true if these are header lines, each with its CRLF. */
export function isTrailer(lines: string): boolean {
  return typeof readLines(`${lines}\r\n`, emptyHead('', '', '')) !== 'string';
}

/**
 * RFC 9110 defines one expectation. Null if the client has none. `list` joins all its header lines.
 */
export function expectationOf(list: string): 'continue' | 'unmet' | null {
  if (list === '') return null;
  let expectation: 'continue' | null = null;
  for (const one of list.split(',')) {
    const token = trimmed(one).toLowerCase();
    if (token === '') continue;
    if (token !== '100-continue') return 'unmet';
    expectation = 'continue';
  }
  return expectation;
}

function hasToken(list: string, token: string): boolean {
  if (list === '') return false;
  return list.split(',').some((one) => trimmed(one).toLowerCase() === token);
}

/** Unencoded bytes beyond ASCII count as UTF-8. */
function textOf(part: string): string {
  return kBeyondAscii.test(part) ? Buffer.from(part, 'latin1').toString('utf8') : part;
}

/** Removes spaces and tabs at both ends. `trim` would remove other blanks, too. */
function trimmed(value: string): string {
  let [start, end] = [0, value.length];
  while (start < end && isBlank(value.charCodeAt(start))) start += 1;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1;
  return value.slice(start, end);
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}
