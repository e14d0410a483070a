/** POST /api/v1/import: stored samples and answers, over real sockets and both transports. */
import { gzipSync } from 'node:zlib';

import { expect } from 'chai';

import { digestOf } from '../../../src/http/auth/token.js';
import { Client, type Answer } from '../../support/client.js';
import { startInjected } from '../../support/http-server.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';
import { storedFrame } from '../../support/zstd.js';
import { pointsOf } from '../influx/stored.js';

const kPath = '/api/v1/import';
const baseMs = 1_700_000_000_000;
const base = BigInt(baseMs);
const kText = 'text/plain; charset=utf-8';

function line(labels: object, values: readonly unknown[], times?: readonly number[]): string {
  const timestamps = times ?? values.map((_, at) => baseMs + at);
  return `${JSON.stringify({ metric: labels, values, timestamps })}\n`;
}
const up = (job: string, ...values: unknown[]): string => line({ __name__: 'up', job }, values);

for (const transport of ['uws', 'node'] as const) {
  describe(`VictoriaMetrics’ import, transport ${transport}`, function () {
    this.timeout(60_000);
    let server: Server;
    let client: Client;

    before(async () => {
      const env = { SERIESDB_TRANSPORT: transport, SERIESDB_MAX_BODY_BYTES: '1000000' };
      server = await startServer({ dataDir: temporaryDirectory(), env });
      client = new Client(server.port);
    });
    after(async () => {
      client.close();
      await killServers();
    });

    const send = (body: Uint8Array | string, headers = {}, query = ''): Promise<Answer> =>
      client.request('POST', `${kPath}${query}`, { body, headers });
    const stored = (job: string): ReturnType<typeof pointsOf> =>
      pointsOf(server.port, 'up', { job });

    it('stores a body in each encoding, and answers 204', async () => {
      const encodings = [
        ['zstd', (body: Buffer) => storedFrame(body)],
        ['gzip', gzipSync],
        ['identity', (body: Buffer) => body],
      ] as const;
      for (const [encoding, encode] of encodings) {
        const body = encode(Buffer.from(up(encoding, 0.5, 2)));
        const { status, body: answer } = await send(body, { 'content-encoding': encoding });
        expect([encoding, status, answer]).to.deep.equal([encoding, 204, '']);
        expect(await stored(encoding)).to.deep.equal([
          [base, 0.5],
          [base + 1n, 2],
        ]);
      }
      expect((await send('')).status).to.equal(204);
      const gzip = await send(gzipSync(up('gzip without its header', 1)));
      expect([gzip.status, gzip.body]).to.deep.equal([
        400,
        'line 1: the body is gzip; send the header Content-Encoding: gzip\n',
      ]);
    });

    it('stores a line that is much longer than max_line_bytes, in pieces', async () => {
      const values = Array.from({ length: 40_000 }, (_, at) => at);
      const body = Buffer.from(up('long', ...values));
      const pieces = [body.subarray(0, 1), body.subarray(1, 77_777), body.subarray(77_777)];
      expect((await client.request('POST', kPath, { pieces })).status).to.equal(204);
      const points = await stored('long');
      expect(points).to.have.length(40_000);
      expect(points.at(-1)).to.deep.equal([base + 39_999n, 39_999]);
    });

    it('stores the good lines of a partly bad body, or nothing with on_error=fail', async () => {
      const bad = line({ __name__: 'up', job: 'bad' }, [1, 2], [baseMs]);
      const { status, headers, body } = await send(`${up('good', 1)}${bad}{}\n`);
      expect([status, headers['content-type'], body]).to.deep.equal([
        400,
        kText,
        '2 of 3 lines rejected: line 2: "values" has 2 items, but "timestamps" has 1\n',
      ]);
      expect(await stored('good')).to.deep.equal([[base, 1]]);
      expect(await stored('bad')).to.deep.equal([]);
      const all = await send(`${up('none', 1)}${bad}`, {}, '?on_error=fail');
      expect([all.status, all.body]).to.deep.equal([
        400,
        'line 2: "values" has 2 items, but "timestamps" has 1\n',
      ]);
      expect(await stored('none')).to.deep.equal([]);
    });

    it('stores null, NaN and infinities, which are null in SeriesQL', async () => {
      const odd = line({ __name__: 'odd' }, [1.5, null, 'NaN', '-Infinity'], [0, 1, 2, 3]);
      expect((await send(odd)).status).to.equal(204);
      const body = 'select time, value from odd where time >= 0';
      const answered = await client.request('POST', '/api/v1/seriesql', { body });
      expect(answered.body).to.contain('"rows":[[0,1.5],[1,null],[2,null],[3,null]]');
      const vector = await client.request('GET', '/api/v1/query?query=odd&time=0.003');
      expect(vector.body).to.contain('"value":[0.003,"-Inf"]');
    });

    it('refuses parameters of VictoriaMetrics that would change series', async () => {
      const { status, body } = await send(up('extra', 1), {}, '?extra_label=a=b');
      expect(status).to.equal(400);
      expect(body).to.match(/^[^\n{]*extra_label[^\n{]*\n$/);
      expect(await stored('extra')).to.deep.equal([]);
    });

    it('refuses a body that is too large, and a damaged one', async () => {
      const values = Array.from({ length: 100_000 }, () => 1);
      const large = await send(line({ __name__: 'up', job: 'large' }, values));
      expect([large.status, large.headers['content-type']]).to.deep.equal([413, kText]);
      const damaged = gzipSync(up('damaged', 1)).subarray(0, 30);
      expect((await send(damaged, { 'content-encoding': 'gzip' })).status).to.equal(400);
      expect((await send('x', { 'content-encoding': 'br' })).status).to.equal(415);
      for (const job of ['large', 'damaged']) expect(await stored(job)).to.deep.equal([]);
    });

    it('counts samples and rejected lines by the name of the protocol', async () => {
      const { body } = await client.request('GET', '/metrics');
      expect(body).to.match(/^seriesdb_\w+\{[^}]*protocol="victoriametrics"[^}]*\} [1-9]/m);
    });
  });
}

describe('VictoriaMetrics’ import with tokens', function () {
  this.timeout(60_000);
  after(killServers);

  it('rejects a missing token and one without the write scope, with a line of text', async () => {
    const named = [{ name: 'reader', scopes: ['read'] as const, digest: digestOf('reader') }];
    const server = startInjected({ token: 't', named });
    for (const [headers, status] of [
      [{}, 401],
      [{ authorization: 'Bearer reader' }, 403],
    ] as const) {
      const answer = await server.ask(kPath, { method: 'POST', body: up('a', 1), headers });
      expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([status, kText]);
      expect(await answer.text()).to.match(/^[^\n{]+\n$/);
    }
    server.close();
  });
});
