/** The cases of the contract of the wire: the bytes of a client, and what comes of them. */

/** Written with a pause behind each; a number is a longer one. */
export type Part = string | number;

interface Outcome {
  /** Of the answers, in their order. */
  readonly statuses: readonly number[];
  readonly stored: number;
  /** The server closes, and does not wait for the client to. */
  readonly isClosed?: boolean;
}

export interface Case {
  readonly name: string;
  /** `line` stores one sample of the metric that is counted; each has another time. */
  readonly parts: (line: () => string) => readonly Part[];
  /** The client closes its sending side behind them. */
  readonly ends?: boolean;
  readonly expected: Outcome;
  readonly onUws?: Outcome | 'alike';
  /** There is no answer if it takes over 50 ms, as on a busy machine. Then the case is repeated. */
  readonly mayBeLate?: boolean;
  /** `uws` reads its bytes and its end at once with TLS, and may close without an answer. */
  readonly mayBeCutOverTls?: boolean;
}

const kHost = 'Host: localhost\r\n';
const kPath = '/api/v1/ingest';

export const post = (body: string, headers = '', path = kPath): string =>
  `POST ${path} HTTP/1.1\r\n${kHost}${headers}` +
  `Content-Length: ${String(body.length)}\r\n\r\n${body}`;
const chunkedHead = (headers = ''): string =>
  `POST ${kPath} HTTP/1.1\r\n${kHost}${headers}Transfer-Encoding: chunked\r\n\r\n`;
const chunk = (data: string): string => `${data.length.toString(16)}\r\n${data}\r\n`;
const kEnd = '0\r\n\r\n';
const get = (target: string, headers = ''): string =>
  `GET ${target} HTTP/1.1\r\n${kHost}${headers}\r\n`;

const ok = (stored: number, count = stored): Outcome => ({
  statuses: Array.from({ length: count }, () => 200),
  stored,
  isClosed: false,
});
const refused = (...statuses: number[]): Outcome => ({ statuses, stored: 0, isClosed: true });
/** No answer, and nothing stored. */
const cut = refused();

const framing: readonly Case[] = [
  { name: 'a length', parts: (line) => [post(line())], onUws: 'alike', expected: ok(1) },
  {
    name: 'a request byte by byte',
    parts: (line) => post(line()).split(''),
    onUws: 'alike',
    expected: ok(1),
  },
  {
    name: 'a chunked body byte by byte',
    parts: (line) => (chunkedHead() + chunk(line()) + chunk(line()) + kEnd).split(''),
    onUws: 'alike',
    expected: ok(2, 1),
  },
  {
    name: 'an extension of a chunk',
    parts: (line) => {
      const data = line();
      return [`${chunkedHead()}${data.length.toString(16)};a=b;c="d"\r\n${data}\r\n${kEnd}`];
    },
    expected: ok(1),
  },
  {
    name: 'a trailer',
    parts: (line) => [`${chunkedHead()}${chunk(line())}0\r\nX-Sum: 1\r\nHost: other\r\n\r\n`],
    expected: ok(1),
  },
  {
    name: 'a trailer in pieces, and a request behind it',
    parts: (line) => [
      `${chunkedHead()}${chunk(line())}0\r`,
      '\nX-Sum: 1',
      '\r',
      '\n\r',
      `\n${post(line())}`,
    ],
    expected: ok(2),
  },
  ...[
    ['g is no digit of a size', 'g\r\n'],
    ['a size without a digit', '\r\n'],
    ['a sign before a size', '+5\r\n'],
    ['0x before a size', '0x5\r\n'],
    ['a space behind a size', '5 \r\n'],
    ['a bare LF behind a size', '5\n'],
    ['a bare CR behind a size', '5\rx'],
    ['a bare LF in an extension', '5;a\nb\r\n'],
    ['NUL in an extension', '5;a\0\r\n'],
    ['a size that is too long', '100000000\r\n'],
    ['a size with zeros before it', '000000005\r\n'],
  ].map(([name = '', size = '']): Case => ({
    name,
    // Empty lines, so that a reader that takes the size finds a sound body.
    parts: (line) => {
      const data = '\n'.repeat(size.startsWith('g') ? 16 : 5);
      return [`${chunkedHead()}${chunk(line())}${size}${data}\r\n${kEnd}`];
    },
    expected: refused(400),
  })),
  {
    name: 'data that is longer than its chunk',
    parts: (line) => [`${chunkedHead()}${chunk(line())}2\r\n\n\n\n\r\n${kEnd}`],
    expected: refused(400),
  },
  {
    name: 'a bare LF behind the data',
    parts: (line) => {
      const data = line();
      return [`${chunkedHead()}${data.length.toString(16)}\r\n${data}\n${kEnd}`];
    },
    expected: refused(400),
  },
  {
    name: 'a trailer that is no header',
    parts: (line) => [`${chunkedHead()}${chunk(line())}0\r\nGET / HTTP/1.1\r\n\r\n`],
    expected: refused(400),
  },
  {
    name: 'a trailer without end',
    parts: (line) => [`${chunkedHead()}${chunk(line())}0\r\nA: ${'x'.repeat(17_000)}`],
    expected: refused(400),
  },
  ...[
    'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
    'Transfer-Encoding: chunked, chunked\r\n',
    'Transfer-Encoding: xchunked\r\n',
    'Content-Length: 5\r\nContent-Length: 5\r\n',
    'Content-Length: 5, 5\r\n',
    'Content-Length: +5\r\n',
    'Content-Length: 0x5\r\n',
    'Content-Length: \r\n',
  ].map((headers): Case => ({
    name: `two lengths, or none that is one: ${JSON.stringify(headers)}`,
    parts: (line) => [`POST ${kPath} HTTP/1.1\r\n${kHost}${headers}\r\n${kEnd}${post(line())}`],
    expected: refused(400),
  })),
];

const order: readonly Case[] = [
  {
    name: 'two requests in one write',
    parts: (line) => [post(line()) + post(line())],
    expected: ok(2),
    onUws: cut,
  },
  {
    name: 'twenty requests in one write, the last of which is refused',
    parts: (line) => [`${Array.from({ length: 20 }, () => post(line())).join('')}${post('x')}`],
    expected: { statuses: [...Array.from({ length: 20 }, () => 200), 400], stored: 20 },
    onUws: cut,
  },
  {
    name: 'a chunked request and another in one write',
    parts: (line) => [chunkedHead() + chunk(line()) + kEnd + post(line())],
    expected: ok(2),
    onUws: cut,
  },
  {
    name: 'a request behind one that is answered at once',
    parts: (line) => [get('/healthz') + post(line())],
    onUws: 'alike',
    expected: ok(1, 2),
  },
  {
    name: 'a request and nonsense in one write',
    parts: (line) => [`${post(line())}NONSENSE\r\n\r\n`],
    expected: { statuses: [200, 400], stored: 1, isClosed: true },
  },
  {
    name: 'a request behind one that closes',
    parts: (line) => [post(line(), 'Connection: close\r\n') + post(line())],
    expected: { statuses: [200], stored: 1, isClosed: true },
    onUws: cut,
  },
  {
    name: 'empty lines before and between requests',
    parts: (line) => [`\r\n\r\n${post(line())}`, 100, `\r\n${post(line())}`],
    expected: ok(2),
  },
  {
    name: 'an empty line behind a body, in the same write',
    parts: (line) => [`${post(line())}\r\n`, 100, post(line())],
    expected: ok(2),
  },
  {
    name: 'a client that closes its sending side behind the request',
    parts: (line) => [post(line())],
    ends: true,
    expected: { ...ok(1), isClosed: true },
    mayBeLate: true,
    onUws: 'alike',
    mayBeCutOverTls: true,
  },
  {
    name: 'a client that closes its sending side behind a query',
    parts: () => [get('/metrics')],
    ends: true,
    expected: { ...ok(0, 1), isClosed: true },
    mayBeLate: true,
    onUws: 'alike',
    mayBeCutOverTls: true,
  },
  {
    name: 'a client that closes its sending side within the body',
    parts: (line) => [post(`${line()}${line()}`).slice(0, -5)],
    ends: true,
    onUws: 'alike',
    expected: cut,
  },
  {
    name: 'a client that closes its sending side before the empty line behind the chunks',
    parts: (line) => [`${chunkedHead()}${chunk(line())}0\r\n`],
    ends: true,
    expected: cut,
    onUws: { ...ok(1), isClosed: true },
    mayBeLate: true,
    mayBeCutOverTls: true,
  },
];

const heads: readonly Case[] = [
  {
    name: 'HTTP/1.0',
    parts: (line) => [post(line()).replace('HTTP/1.1', 'HTTP/1.0')],
    expected: { ...ok(1), isClosed: true },
  },
  {
    name: 'HTTP/1.0 without Host, that keeps the connection',
    parts: (line) => {
      const one = (): string =>
        post(line(), 'Connection: keep-alive\r\n')
          .replace('HTTP/1.1', 'HTTP/1.0')
          .replace(kHost, '');
      return [one(), 100, one()];
    },
    expected: ok(2),
  },
  {
    name: 'HTTP/1.0 with chunks',
    parts: (line) => [chunkedHead().replace('1.1', '1.0') + chunk(line()) + kEnd],
    expected: refused(400),
  },
  { name: 'HTTP/2.0', parts: () => ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'], expected: refused(505) },
  {
    name: 'HTTP/1.1 without Host',
    parts: (line) => [post(line()).replace(kHost, '')],
    expected: refused(400),
  },
  {
    name: 'two Hosts',
    parts: (line) => [post(line(), 'Host: b\r\n')],
    expected: refused(400),
  },
  ...[
    ['a bare LF behind the request line', (text: string) => text.replace('1.1\r\n', '1.1\n')],
    ['a bare LF behind a header', (text: string) => text.replace('localhost\r\n', 'localhost\n')],
    ['a bare CR in a header', (text: string) => text.replace('localhost', 'local\rhost')],
    ['NUL in a header', (text: string) => text.replace(kHost, `${kHost}A: b\0c\r\n`)],
    ['a space before a colon', (text: string) => text.replace('Length:', 'Length :')],
    ['a folded header', (text: string) => text.replace(kHost, `${kHost}A: b\r\n c\r\n`)],
    ['a header without a name', (text: string) => text.replace(kHost, `${kHost}: b\r\n`)],
    ['a line without a colon', (text: string) => text.replace(kHost, `${kHost}nonsense\r\n`)],
    ['two spaces in the request line', (text: string) => text.replace(' HTTP', '  HTTP')],
    ['another protocol', (text: string) => text.replace('HTTP/1.1', 'HTTQ/1.1')],
    ['a version of two digits', (text: string) => text.replace('HTTP/1.1', 'HTTP/1.10')],
  ].map(([name, change]): Case => ({
    name: name as string,
    parts: (line) => [(change as (text: string) => string)(post(line()))],
    expected: refused(400),
  })),
  {
    name: 'an upgrade to another protocol, which is not taken',
    parts: () => [get('/healthz', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')],
    onUws: 'alike',
    expected: ok(0, 1),
  },
  {
    name: 'a body of GET that reads like a request',
    parts: (line) => {
      const hidden = post(line());
      return [get('/healthz', `Content-Length: ${String(hidden.length)}\r\n`) + hidden];
    },
    onUws: 'alike',
    expected: ok(0, 1),
  },
  {
    name: 'a body of HEAD, and a request behind it',
    parts: () => [
      get('/healthz', 'Content-Length: 5\r\n').replace('GET', 'HEAD') + 'hello',
      100,
      get('/healthz'),
    ],
    onUws: 'alike',
    expected: ok(0, 2),
  },
  {
    name: 'a tunnel',
    parts: () => [`CONNECT a:1 HTTP/1.1\r\n${kHost}\r\n`],
    expected: refused(400),
  },
  {
    name: 'a target with its host, which only proxies take',
    parts: (line) => [post(line()).replace(kPath, `http://localhost${kPath}`)],
    expected: { statuses: [404], stored: 0, isClosed: false },
  },
  {
    name: 'a method that nobody knows',
    parts: (line) => [post(line()).replace('POST', 'BREW')],
    onUws: 'alike',
    expected: { statuses: [405], stored: 0, isClosed: false },
  },
  {
    name: 'a head of 16,384 bytes',
    parts: () => [get('/healthz', `A: ${'x'.repeat(16_384 - get('/healthz').length - 5)}\r\n`)],
    onUws: 'alike',
    expected: ok(0, 1),
  },
  {
    name: 'a head of 16,385 bytes',
    parts: () => [get('/healthz', `A: ${'x'.repeat(16_384 - get('/healthz').length - 4)}\r\n`)],
    expected: refused(431),
  },
  ...[100, 101].map((count): Case => ({
    name: `${String(count)} headers`,
    parts: () => [get('/healthz', 'A: b\r\n'.repeat(count - 1))],
    expected: count === 100 ? ok(0, 1) : refused(431),
  })),
  {
    name: 'Expect: 100-continue, whose body comes later',
    parts: (line) => {
      const whole = post(line(), 'Expect: 100-continue\r\n');
      const end = whole.indexOf('\r\n\r\n') + 4;
      return [whole.slice(0, end), 100, whole.slice(end)];
    },
    onUws: 'alike',
    expected: { statuses: [100, 200], stored: 1, isClosed: false },
  },
  ...['200-ok', '100-continue, 200-ok', '100-continue; a'].map((expectation): Case => ({
    name: `an expectation that nobody meets: ${expectation}`,
    parts: (line) => [post(line(), `Expect: ${expectation}\r\n`)],
    onUws: 'alike',
    expected: refused(417),
  })),
  {
    name: 'an expectation in HTTP/1.0, which is not heeded',
    parts: (line) => [post(line(), 'Expect: 100-continue\r\n').replace('1.1', '1.0')],
    expected: { ...ok(1), isClosed: true },
  },
];

export const cases: readonly Case[] = [...framing, ...order, ...heads];
