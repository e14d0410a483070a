/**
 * Mutated requests on raw sockets, in random pieces, over both transports, with and without TLS. A
 * naive reader of whole texts says which bodies `node` must store. Over both, nothing is stored
 * without its answer, each answer is well-formed, and the server goes on. `npm run fuzz` runs it
 * longer.
 */
import { once } from 'node:events';
import net from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';

import { assert } from 'chai';

import { ask, startConfigured, transportNames } from '../support/admin-server.js';
import { certificateFiles, makeCertificate } from '../support/certificate.js';
import { Random, testSeed } from '../support/random.js';
import { killServers, removeDirectory, type Server } from '../support/server.js';
import { fuzzTimeoutMs, rounds } from './rounds.js';

const certificate = makeCertificate('fuzz');
const kPath = '/api/v1/ingest';
/** From then on `uws` may close a connection whose answer is late. */
const kLateMs = 45;
/** After this silence over `uws` the next connection begins. Later answers still count. */
const kSettledMs = 10;
const kSilenceMs = 250;
const kAnswerMs = 20_000;

/** The lines of a request, and its framed body. A mutation changes one of them. */
interface Message {
  target: string;
  version: string;
  headers: string[];
  body: string;
}

function counted(body: string): Message {
  return {
    target: kPath,
    version: 'HTTP/1.1',
    headers: ['Host: localhost', `Content-Length: ${String(body.length)}`],
    body,
  };
}

function chunked(body: string, random: Random): Message {
  let framed = '';
  for (let at = 0; at < body.length;) {
    const size = 1 + random.below(body.length - at);
    framed += `${size.toString(16)}\r\n${body.slice(at, at + size)}\r\n`;
    at += size;
  }
  const headers = ['Host: localhost', 'Transfer-Encoding: chunked'];
  return { target: kPath, version: 'HTTP/1.1', headers, body: `${framed}0\r\n\r\n` };
}

const lengths = [
  ...['0', '5', '+5', '-1', '0x10', '5, 5', '', '1e1'],
  ...['9'.repeat(16), '00', ' 7', '1 0'],
];
const codings = [
  'chunked, chunked',
  'gzip, chunked',
  'identity',
  'Chunked',
  'xchunked',
  'chunked ',
];
const oddHeaders = [
  'Host: other',
  'A : b',
  ' folded',
  '\tfolded',
  ': no name',
  'no colon',
  'A: b\nC: d',
  'A: b\rC: d',
  'A: \0',
  'A:',
  'Content-Length: 0',
  'Transfer-Encoding: chunked',
  'Connection: close',
  'Connection: keep-alive',
  'X-A: \u00e9',
];
const targets = ['http://localhost', '//localhost', 'HTTP://a:1', '*', 'localhost:80'];
/** What may stand instead of the size $& of a chunk. */
const sizes = [
  ...['g', '', '1', '100000000', '-0', '+$&', '0x$&', '$& ', '$&\t', ' $&', '$&g'],
  ...['0$&', '$&;a=b', '$&; a="\u00e9"', '$&;a="\n"', '$&;a="\0"', '$& ;a', '000000000$&'],
];
/** What may stand instead of CRLF. */
const lineEnds = ['\n', '\r', '\r\r\n', '\n\r', '\r ', ' \r\n', ' \n', '\0\n', ''];
const tails = [
  '0\r\nA: b\r\n\r\n',
  '0\r\nA\r\n\r\n',
  '0\n\n',
  '0\r\n',
  '00\r\n\r\n',
  '0;x\r\n\r\n',
];

type Change = (message: Message, random: Random) => void;

function putHeader({ headers }: Message, header: string, random: Random): void {
  headers.splice(random.below(headers.length + 1), 0, header);
}

const headChanges: readonly Change[] = [
  (message, random) => {
    putHeader(message, `Content-Length: ${random.pick(lengths)}`, random);
  },
  (message, random) => {
    message.headers = message.headers.filter((header) => !header.startsWith('Content-'));
    putHeader(message, `Content-Length: ${random.pick(lengths)}`, random);
  },
  (message, random) => {
    const extra = random.below(9) - 4;
    message.headers = message.headers.map((header) =>
      header.replace(
        /^(Content-Length: )(\d+)$/,
        (_, name: string, size: string) => `${name}${String(Math.max(0, Number(size) + extra))}`,
      ),
    );
  },
  (message, random) => {
    putHeader(message, `Transfer-Encoding: ${random.pick(codings)}`, random);
  },
  (message, random) => {
    message.headers = message.headers.map((header) =>
      header.replace(/^(Transfer-Encoding: ).*$/, `$1${random.pick(codings)}`),
    );
  },
  (message, random) => {
    putHeader(message, random.pick(oddHeaders), random);
  },
  (message, random) => {
    if (message.headers.length > 0) putHeader(message, random.pick(message.headers), random);
  },
  (message, random) => {
    message.headers.splice(random.below(message.headers.length), 1);
  },
  (message, random) => {
    message.target = random.pick(targets) + message.target;
  },
  (message, random) => {
    message.version = random.pick(['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ']);
  },
  (message, random) => {
    const header = random.below(message.headers.length);
    const end = random.pick(lineEnds);
    message.headers = message.headers.map((text, at) =>
      at === header ? `${text}${end}A: b` : text,
    );
  },
];

const bodyChanges: readonly Change[] = [
  (message, random) => {
    message.body = message.body.replace(/^[0-9a-f]+(?=\r\n)/, random.pick(sizes));
  },
  (message, random) => {
    message.body = message.body.replace(/0\r\n\r\n$/, random.pick(tails));
  },
  (message, random) => {
    message.body += random.pick(['\r\n', '\r\n\r\n', '\n', '\r', '0\r\n\r\n', ' ']);
  },
  (message) => {
    message.body = message.body.slice(0, -1);
  },
  (message, random) => {
    const ends = [...message.body.matchAll(/\r\n/g)].map(({ index }) => index);
    if (ends.length === 0) return;
    const at = random.pick(ends);
    message.body = message.body.slice(0, at) + random.pick(lineEnds) + message.body.slice(at + 2);
  },
];

const printed = ({ target, version, headers, body }: Message): string =>
  `POST ${target} ${version}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`;

interface Expected {
  readonly bodies: readonly string[];
  /** The answers, of which the last may refuse the rest. */
  readonly answerCount: number;
  /**
   * A body that does not end may have a bad line, which is refused before the end. Infinity after
   * a foreign target or host, which is answered before its body is read: more answers may come.
   */
  readonly answerMost: number;
}

/** Reads a connection's whole text by the rules of docs/wire.md. Simple, and slow. */
function readNaively(text: string): Expected {
  const bodies: string[] = [];
  let rest = text;
  const ended = (answerCount: number, answerMost = answerCount): Expected => ({
    ...{ bodies, answerCount, answerMost },
  });
  for (let answerCount = 0; ; answerCount += 1) {
    while (rest.startsWith('\r\n')) rest = rest.slice(2);
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) {
      const isRefused = /(^|[^\r])\n|[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(rest);
      return ended(answerCount + (isRefused ? 1 : 0));
    }
    const [first = '', ...headers] = rest.slice(0, end).split('\r\n');
    if (isForeign(first, headers)) return ended(answerCount + 1, Infinity);
    const body = bodyOf(first, headers, rest.slice(end + 4));
    if (body === 'refused') return ended(answerCount + 1);
    if (body === 'waits') return ended(answerCount, answerCount + 1);
    bodies.push(body.data);
    const [last] = valuesOf(headers, 'connection').slice(-1);
    const isVersion10 = first.endsWith('HTTP/1.0');
    const isClosing = valuesOf(headers, 'connection').includes('close');
    if (isClosing || (isVersion10 && last !== 'keep-alive')) return ended(answerCount + 1);
    rest = body.rest;
  }
}

/** Whether a request is for another path or host, and therefore refused by its head. */
const isForeign = (first: string, headers: readonly string[]): boolean =>
  !first.startsWith(`POST ${kPath} `) ||
  valuesOf(headers, 'host').some((host) => host !== 'localhost');

const valuesOf = (headers: readonly string[], name: string): readonly string[] =>
  headers
    .filter((header) => header.slice(0, header.indexOf(':')).toLowerCase() === name)
    .map((header) => header.slice(header.indexOf(':') + 1).replace(/^[ \t]+|[ \t]+$/g, ''));

type Body = { readonly data: string; readonly rest: string } | 'refused' | 'waits';

function bodyOf(first: string, headers: readonly string[], rest: string): Body {
  const [, version] = /^[A-Z]+ [!-~]+ (HTTP\/1\.[0-9])$/.exec(first) ?? [];
  if (version === undefined) return 'refused';
  if (headers.some((header) => !/^[\w-]+:[\t -~\x80-\xff]*$/.test(header))) return 'refused';
  const [hosts, sizes, codings] = ['host', 'content-length', 'transfer-encoding'].map((name) =>
    valuesOf(headers, name),
  );
  if (hosts === undefined || sizes === undefined || codings === undefined) return 'refused';
  const isVersion10 = version === 'HTTP/1.0';
  if (hosts.length > 1 || (hosts.length === 0 && !isVersion10)) return 'refused';
  if (sizes.length + codings.length > 1) return 'refused';
  const [[size], [coding]] = [sizes, codings];
  if (coding !== undefined) {
    return coding.toLowerCase() === 'chunked' && !isVersion10 ? chunksOf(rest) : 'refused';
  }
  if (size === undefined) return { data: '', rest };
  if (!/^\d{1,15}$/.test(size)) return 'refused';
  if (rest.length < Number(size)) return 'waits';
  return { data: rest.slice(0, Number(size)), rest: rest.slice(Number(size)) };
}

function chunksOf(text: string): Body {
  let [data, rest] = ['', text];
  for (;;) {
    const line = /^([0-9a-fA-F]{1,8})(;[\t -~\x80-\xff]*)?\r\n/.exec(rest);
    if (line === null) {
      const isBegun = /^([0-9a-fA-F]{1,8}(;[\t -~\x80-\xff]*)?\r?)?$/.test(rest);
      return isBegun ? 'waits' : 'refused';
    }
    const size = parseInt(line[1] ?? '', 16);
    rest = rest.slice(line[0].length);
    if (size === 0) break;
    const isEnded = '\r\n'.startsWith(rest.slice(size, size + 2));
    if (!isEnded) return 'refused';
    if (rest.length < size + 2) return 'waits';
    data += rest.slice(0, size);
    rest = rest.slice(size + 2);
  }
  if (rest.startsWith('\r\n')) return { data, rest: rest.slice(2) };
  const end = rest.indexOf('\r\n\r\n');
  if (end < 0) return 'waits';
  const trailers = rest.slice(0, end).split('\r\n');
  if (trailers.some((one) => !/^[\w-]+:[\t -~\x80-\xff]*$/.test(one))) return 'refused';
  return { data, rest: rest.slice(end + 4) };
}

/** The metrics of a body; none if a line of it is no sample, since then nothing is stored. */
function metricsOf(body: string): readonly string[] {
  try {
    const lines = body.split('\n').filter((line) => line.trim() !== '');
    const metrics = lines.map((line) => (JSON.parse(line) as { metric?: string } | null)?.metric);
    return metrics.every((metric) => metric !== undefined) ? metrics : [];
  } catch {
    return [];
  }
}

interface Answers {
  readonly count: number;
  /** Samples that the answers acknowledge. */
  readonly ingested: number;
  readonly isCut: boolean;
}

/** The last answer of a connection, from the parser of uWebSockets.js; it has no length. */
const kLibraryRefusal = /^HTTP\/1\.1 (400|431|505) \r\n(?:[^\r]+\r\n)*\r\n(\{.*\}) *$/;

/** Takes the answers of a connection apart. Throws if one is not HTTP/1.1 of this server. */
function readAnswers(text: string, transport: string): Answers {
  let [count, ingested, rest] = [0, 0, text];
  while (rest !== '') {
    const refusal = transport === 'uws' ? kLibraryRefusal.exec(rest) : null;
    if (refusal !== null) {
      const told = JSON.parse(refusal[2] ?? '') as object;
      assert.deepInclude(told, { code: 'invalid_request', status: Number(refusal[1]) });
      return { count, ingested, isCut: false };
    }
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return { count, ingested, isCut: true };
    const [first = '', ...headers] = rest.slice(0, end).split('\r\n');
    const [, status] = /^HTTP\/1\.1 (\d{3}) [A-Z][\w -]+$/.exec(first) ?? [];
    assert.isDefined(status, `not an answer: ${rest}`);
    for (const header of headers) assert.match(header, /^[\w-]+: [\t -~]+$/);
    const [size = ''] = valuesOf(headers, 'content-length');
    assert.match(size, /^\d+$/, rest);
    const body = rest.slice(end + 4, end + 4 + Number(size));
    if (body.length < Number(size)) return { count, ingested, isCut: true };
    const told = JSON.parse(body) as Readonly<Record<string, unknown>>;
    if (status === '200') {
      ingested += Number(told['ingested']);
    } else {
      assert.hasAllKeys(told, ['error', 'code', 'status'], body);
      assert.strictEqual(told['status'], Number(status));
    }
    count += 1;
    rest = rest.slice(end + 4 + Number(size));
  }
  return { count, ingested, isCut: false };
}

interface Place {
  readonly port: number;
  readonly isSecure: boolean;
}

/** What came over a connection. It goes on after the pieces are written, until `socket` ends. */
interface Talk {
  readonly socket: net.Socket;
  text: string;
  isClosed: boolean;
  /** Milliseconds until the last text came, or the end. */
  tookMs: number;
}

/** Writes the pieces. Returns when the server closes, or `isEnough`. */
async function talk(
  { port, isSecure }: Place,
  pieces: readonly string[],
  isEnough: (text: string, silenceMs: number) => boolean,
): Promise<Talk> {
  const options = { host: '127.0.0.1', port, noDelay: true };
  const socket = isSecure
    ? tls.connect({ ...options, ca: certificate.cert })
    : net.connect(options);
  const told: Talk = { socket, text: '', isClosed: false, tookMs: 0 };
  await once(socket, isSecure ? 'secureConnect' : 'connect');
  const startedAt = performance.now();
  let lastAt = startedAt;
  const note = (): void => {
    lastAt = performance.now();
    if (!told.isClosed) told.tookMs = lastAt - startedAt;
  };
  socket.setEncoding('latin1').on('data', (text: string) => {
    told.text += text;
    note();
  });
  for (const event of ['error', 'end', 'close']) {
    socket.on(event, () => {
      note();
      told.isClosed = true;
    });
  }
  for (const piece of pieces) {
    socket.write(piece, 'latin1');
    lastAt = performance.now();
    // A failed write drops what is received and not read, which may be the answer: read in between.
    await (pieces.length < 20 ? sleep(1) : nextTurn());
  }
  const isOver = (): boolean => told.isClosed || isEnough(told.text, performance.now() - lastAt);
  while (!isOver()) await sleep(1);
  return told;
}

function drawPieces(text: string, random: Random): readonly string[] {
  if (random.chance(0.02)) return text.split('');
  const cuts = Array.from({ length: random.below(6) }, () => random.below(text.length));
  const sorted = [0, ...cuts.sort((one, other) => one - other), text.length];
  return sorted.slice(1).map((end, at) => text.slice(sorted[at], end));
}

let metricCount = 0;

function drawText(random: Random): { readonly text: string; readonly metrics: readonly string[] } {
  const metrics: string[] = [];
  let text = '';
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const metric = `wire_${String((metricCount += 1))}`;
    metrics.push(metric);
    const body = `{"metric":"${metric}","ts":1,"value":1}\n`;
    const message = random.chance(0.5) ? counted(body) : chunked(body, random);
    while (random.chance(0.5))
      random.pick(random.pick([headChanges, bodyChanges]))(message, random);
    text += printed(message);
    // The server may close behind the answer, and then answers nothing more.
    if (isForeign(`POST ${message.target} `, message.headers)) break;
  }
  return { text, metrics };
}

for (const transport of transportNames) {
  for (const isSecure of [false, true]) {
    const name = `mutated framing over ${transport}${isSecure ? ', TLS' : ''}`;
    describe(`${name}, seed ${String(testSeed)}`, function () {
      this.timeout(fuzzTimeoutMs);
      let server: Server;
      let dataDir: string;
      before(async () => {
        const toml = isSecure ? certificateFiles(certificate).toml : '';
        ({ server, dataDir } = await startConfigured(transport, toml));
      });
      after(async () => {
        await killServers();
        removeDirectory(dataDir);
      });
      const trusting = isSecure ? { ca: certificate.cert } : {};

      it('stores what it answers, answers in its own words, and goes on', async () => {
        const random = new Random(testSeed);
        const due = new Map<string, string>();
        const undecided = new Set<string>();
        const sent: { metrics: readonly string[]; told: Talk; what: string }[] = [];
        for (const round of rounds(isSecure ? 100 : 600)) {
          const { text, metrics } = drawText(random);
          const what = JSON.stringify(text);
          const expected = readNaively(text);
          const isEnough = (came: string, silenceMs: number): boolean => {
            if (transport === 'uws') return silenceMs > kSettledMs;
            assert.isBelow(silenceMs, kAnswerMs, `no answer to ${what}, only ${came}`);
            const { count, isCut } = readAnswers(came, transport);
            return !isCut && count >= expected.answerCount;
          };
          const told = await talk(
            { port: server.port, isSecure },
            drawPieces(text, random),
            isEnough,
          );
          if (transport === 'uws') {
            sent.push({ metrics, told, what });
          } else {
            told.socket.destroy();
            const { count, ingested } = readAnswers(told.text, transport);
            const bodies = expected.bodies.flatMap(metricsOf);
            for (const metric of bodies) due.set(metric, what);
            assert.isAtLeast(count, expected.answerCount, `${what}: ${told.text}`);
            assert.isAtMost(count, expected.answerMost, `${what}: ${told.text}`);
            if (expected.answerMost === Infinity) for (const one of metrics) undecided.add(one);
            else assert.strictEqual(ingested, bodies.length, what);
          }
          if (round % 10 === 0) {
            assert.strictEqual((await ask(server.port, '/healthz', trusting)).status, 200);
          }
        }
        if (transport === 'uws') await sleep(kSilenceMs);
        const listed = await ask(server.port, '/api/v1/label/__name__/values', trusting);
        const names = (JSON.parse(listed.body) as { readonly data: readonly string[] }).data;
        const stored = new Set(names.filter((one) => one.startsWith('wire_')));
        for (const { metrics, told, what } of sent) {
          const storedCount = metrics.filter((metric) => stored.has(metric)).length;
          const isOwed = (): boolean => readAnswers(told.text, transport).ingested < storedCount;
          const until = performance.now() + kAnswerMs;
          while (!told.isClosed && isOwed() && performance.now() < until) await sleep(5);
          told.socket.destroy();
          const { ingested, isCut } = readAnswers(told.text, transport);
          assert.isFalse(isCut, `${what}: ${told.text}`);
          if (told.tookMs < kLateMs) assert.isAtMost(storedCount, ingested, what);
        }
        for (const [metric, what] of due) assert.isTrue(stored.has(metric), `lost: ${what}`);
        if (transport === 'node') {
          const isKnown = (metric: string): boolean => due.has(metric) || undecided.has(metric);
          assert.deepEqual(
            [...stored].filter((metric) => !isKnown(metric)),
            [],
          );
        }
        assert.isAbove(stored.size, isSecure ? 5 : 20);
      });
    });
  }
}
