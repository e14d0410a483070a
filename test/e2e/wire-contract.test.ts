/**
 * The wire contract, byte by byte. It holds completely over `node`. Over `uws` it holds if `onUws`
 * says so or names the difference; docs/wire.md has the rest. Nothing is stored without an answer.
 */
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';

import { assert } from 'chai';

import { ask, startConfigured, transportNames } from '../support/admin-server.js';
import { certificateFiles, makeCertificate } from '../support/certificate.js';
import { Client, maximumTs, minimumTs, parseSamples } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

import { cases, post, type Case, type Part } from './wire-cases.js';

import type { Server } from '../support/server.js';

interface Place {
  readonly port: number;
  /** The certificate, where TLS is spoken. */
  readonly ca?: string;
}

interface Sent {
  readonly parts: readonly Part[];
  readonly ends: boolean;
  /** Whether no more answers are due, as far as one can tell. */
  readonly isAnswered: (text: string) => Promise<boolean>;
}

/** Of a busy machine, for an answer that is due. */
const kSilencesMax = 20;

/** Reads until the server closes, or has been silent for a while and owes no answer. */
async function tell(
  { port, ca }: Place,
  { parts, ends, isAnswered }: Sent,
): Promise<{ readonly text: string; readonly isClosed: boolean }> {
  return new Promise((resolve) => {
    let text = '';
    const options = { host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true };
    const socket = ca === undefined ? net.connect(options) : tls.connect({ ...options, ca });
    const finish = (isClosed: boolean): void => {
      socket.destroy();
      resolve({ text, isClosed });
    };
    socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    for (const event of ['error', 'end']) {
      socket.on(event, () => {
        finish(true);
      });
    }
    void (async () => {
      for (const [at, part] of parts.entries()) {
        if (socket.destroyed) return;
        if (typeof part === 'string') {
          // Its end comes with the last part, so before any answer.
          if (ends && at === parts.length - 1) socket.end(part, 'latin1');
          else socket.write(part, 'latin1');
          await sleep(parts.length > 50 ? 1 : 20);
        } else {
          await sleep(part);
        }
      }
      let silences = 0;
      socket.setTimeout(700, () => {
        silences += 1;
        void isAnswered(text).then((answered) => {
          if (answered || silences === kSilencesMax) finish(false);
          else socket.setTimeout(700);
        });
      });
    })();
  });
}

const statusesOf = (text: string): readonly number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

let lastTs = 0;

let metricCount = 0;

const kTriesMax = 10;

async function check(one: Case, place: Place, transport: string): Promise<void> {
  let isDue = false;
  for (let tries = 0; tries < kTriesMax && !isDue; tries += 1) {
    isDue = await isAsDue(one, place, transport);
  }
  assert.isTrue(isDue || isCutByUws(one, place, transport), `${one.name}: no answer`);
}

/** True if both may arrive at once, and the case allows that uWebSockets.js then closes. */
const isCutByUws = (one: Case, { ca }: Place, transport: string): boolean =>
  one.mayBeCutOverTls === true && ca !== undefined && transport === 'uws';

/** False if a late answer is missing, which says nothing. Asserts in all other cases. */
async function isAsDue(one: Case, place: Place, transport: string): Promise<boolean> {
  const { parts, ends = false, expected, onUws } = one;
  const metric = `case_${String((metricCount += 1))}`;
  const line = (): string => `{"metric":"${metric}","ts":${String((lastTs += 1))},"value":1}\n`;
  const isToldApart = transport === 'node' || onUws !== undefined;
  const outcome = transport === 'node' || onUws === 'alike' ? expected : (onUws ?? expected);
  const isAnswered = async (text: string): Promise<boolean> =>
    isToldApart
      ? statusesOf(text).length >= outcome.statuses.length
      : text.includes('HTTP/1.1 2') || (await storedOf(metric, place)) === 0;
  const told = await tell(place, { parts: parts(line), ends, isAnswered });
  const stored = await storedOf(metric, place);
  const isDue = outcome.statuses.length > 0;
  if (one.mayBeLate === true && isDue && told.text === '') return false;
  if (!told.text.includes('HTTP/1.1 2')) assert.strictEqual(stored, 0, told.text);
  assertNoPages(told.text);
  if (!isToldApart) return true;
  const what = `${one.name}: ${told.text}`;
  assert.deepEqual([statusesOf(told.text), stored], [outcome.statuses, outcome.stored], what);
  if (outcome.isClosed !== undefined) assert.strictEqual(told.isClosed, outcome.isClosed, what);
  return true;
}

/** No answer is a page of a library, and an error is JSON of three fields. */
function assertNoPages(text: string): void {
  assert.notInclude(text, '<h', `a page of the library: ${text}`);
  for (const answer of text.split(/(?=HTTP\/1\.1 \d)/).filter((one) => /^HTTP\S+ [45]/.test(one))) {
    const [, body = ''] = answer.split('\r\n\r\n');
    if (body !== '') assert.hasAllKeys(JSON.parse(body), ['error', 'code', 'status'], answer);
  }
}

async function storedOf(metric: string, { port, ca }: Place): Promise<number> {
  const range = `start=${String(minimumTs)}&end=${String(maximumTs)}`;
  const target = `/api/v1/query/range?metric=${metric}&labels=%7B%7D&${range}`;
  const { status, body } = await ask(port, target, ca === undefined ? {} : { ca });
  assert.strictEqual(status, 200, body);
  return parseSamples(body).length;
}

for (const transport of transportNames) {
  describe(`the contract of the wire over ${transport}`, function () {
    this.timeout(60_000);
    let server: Server;
    let client: Client;
    const dataDir = temporaryDirectory();
    before(async () => {
      server = await startServer({ dataDir, env: { SERIESDB_TRANSPORT: transport } });
      client = new Client(server.port);
    });
    after(async () => {
      client.close();
      await killServers();
      removeDirectory(dataDir);
    });

    for (const one of cases) {
      it(one.name, async () => {
        await check(one, { port: server.port }, transport);
      });
    }

    it('a reader that pauses longer than uWebSockets.js waits gets the rest', async () => {
      const lines = Array.from({ length: 100_000 }, (_, at) => {
        const value = String(Math.sin(at));
        return `{"metric":"long","ts":${String(at)},"value":${value}}`;
      });
      for (let batch = 0; batch < 4; batch += 1) {
        const named = lines.map((line) =>
          line.replace('"long"', `"long","labels":{"b":"${String(batch)}"}`),
        );
        await client.ingest(named.join('\n'));
      }
      const query = 'select time, value, tag.b from long where time >= 0';
      const body = JSON.stringify({ query });
      const request = post(body, '', '/api/v1/seriesql');
      const socket = net.connect({ host: '127.0.0.1', port: server.port });
      let text = '';
      socket.on('data', (bytes: Buffer) => {
        if (text === '') {
          socket.pause();
          setTimeout(() => socket.resume(), 14_000);
        }
        text = (text + bytes.toString('latin1')).slice(-20);
        if (text.endsWith('\r\n0\r\n\r\n')) socket.destroy();
      });
      socket.on('error', () => undefined);
      socket.write(request);
      await new Promise((resolve) => socket.on('close', resolve));
      assert.match(text, /\r\n0\r\n\r\n$/);
    });
  });
  describe(`the contract of the wire over ${transport}, TLS`, function () {
    this.timeout(60_000);
    after(killServers);

    it('is the same as without TLS', async () => {
      const certificate = makeCertificate('wire');
      const { server } = await startConfigured(transport, certificateFiles(certificate).toml);
      const place = { port: server.port, ca: certificate.cert };
      for (let at = 0; at < cases.length; at += 12) {
        const some = cases.slice(at, at + 12);
        await Promise.all(some.map(async (one) => check(one, place, transport)));
      }
    });
  });
}
