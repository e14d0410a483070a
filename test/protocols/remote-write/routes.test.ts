/** POST /api/v1/write: stored samples and answers, over real sockets and both transports. */
import { gzipSync } from 'node:zlib';

import { expect } from 'chai';

import { Client, type Answer } from '../../support/client.js';
import { secondRequest, snappy, writeRequest } from '../../support/remote-write.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';
import { storedFrame } from '../../support/zstd.js';
import { pointsOf } from '../influx/stored.js';

const protobuf = 'application/x-protobuf';
const baseMs = 1_700_000_000_000;
const base = BigInt(baseMs);

function up(job: string, value = 1) {
  return { labels: { __name__: 'up', job }, samples: [[baseMs, value]] as const };
}

for (const transport of ['uws', 'node'] as const) {
  describe(`remote_write, transport ${transport}`, function () {
    this.timeout(60_000);
    let server: Server;
    let client: Client;

    before(async () => {
      const env = { SERIESDB_TRANSPORT: transport, SERIESDB_MAX_BODY_BYTES: '100000' };
      server = await startServer({ dataDir: temporaryDirectory(), env });
      client = new Client(server.port);
    });
    after(async () => {
      client.close();
      await killServers();
    });

    const send = (body: Uint8Array, headers = {}, query = ''): Promise<Answer> =>
      client.request('POST', `/api/v1/write${query}`, {
        body,
        headers: { 'content-type': protobuf, 'content-encoding': 'snappy', ...headers },
      });

    it('stores a request in each encoding of the senders, and answers 204', async () => {
      const encodings = [
        ['snappy', snappy],
        ['zstd', (body: Buffer) => storedFrame(body)],
        ['gzip', gzipSync],
        ['identity', (body: Buffer) => body],
        // As in Prometheus, a body is snappy unless its header says otherwise.
        ['', snappy],
      ] as const;
      for (const [encoding, encode] of encodings) {
        const body = encode(writeRequest([up(encoding || 'unnamed', 0.5)]));
        const answered = await client.request('POST', '/api/v1/write', {
          body,
          headers: {
            'content-type': protobuf,
            ...(encoding === '' ? {} : { 'content-encoding': encoding }),
          },
        });
        const { status, headers, body: answer } = answered;
        expect([encoding, status, answer]).to.deep.equal([encoding, 204, '']);
        expect(headers['content-type']).to.equal(undefined);
        expect(await pointsOf(server.port, 'up', { job: encoding || 'unnamed' })).to.deep.equal([
          [base, 0.5],
        ]);
      }
    });

    it('accepts a body in pieces, an empty one, and metadata only', async () => {
      const series = Array.from({ length: 500 }, (_, at) => up(`pieces-${String(at)}`, at));
      const body = snappy(writeRequest(series));
      const pieces = [body.subarray(0, 1), body.subarray(1, 777), body.subarray(777)];
      const headers = { 'content-encoding': 'snappy' };
      const sent = await client.request('POST', '/api/v1/write', { pieces, headers });
      expect(sent.status).to.equal(204);
      expect(await pointsOf(server.port, 'up', { job: 'pieces-499' })).to.deep.equal([[base, 499]]);
      expect((await send(Buffer.alloc(0))).status).to.equal(204);
      const metadata = [{ kind: 1, family: 'hits', help: 'Requests.' }];
      expect((await send(snappy(writeRequest([], metadata)))).status).to.equal(204);
    });

    it('keeps the first metadata of a metric, and its kind', async () => {
      const counter = { labels: { __name__: 'hits_total' }, samples: [[baseMs, 1]] as const };
      const first = [{ kind: 1, family: 'hits_total', help: 'Requests.' }];
      const second = [{ kind: 2, family: 'hits_total', help: 'Other.' }];
      expect((await send(snappy(writeRequest([counter], first)))).status).to.equal(204);
      expect((await send(snappy(writeRequest([counter], second)))).status).to.equal(204);
      const { body } = await client.request('POST', '/api/v1/metrics/find', {
        body: '{"prefix":"hits"}',
      });
      expect(body).to.contain('"kind":"counter"');
      expect(body).to.contain('Requests.');
    });

    it('stores the good series of a partly bad request, and counts the skipped ones', async () => {
      const bad = {
        labels: { job: 'nameless' },
        samples: [
          [baseMs, 1],
          [baseMs + 1, 2],
        ] as const,
      };
      const body = snappy(writeRequest([up('good'), bad]));
      const { status, headers, body: answer } = await send(body);
      expect(status).to.equal(400);
      expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
      expect(answer).to.equal(
        '2 of 3 samples rejected: {job="nameless"}: the label __name__ is missing\n',
      );
      expect(await pointsOf(server.port, 'up', { job: 'good' })).to.have.length(1);
      const all = await send(snappy(writeRequest([up('none'), bad])), {}, '?on_error=fail');
      expect(all.status).to.equal(400);
      expect(await pointsOf(server.port, 'up', { job: 'none' })).to.deep.equal([]);
    });

    it('stores NaN (null in SeriesQL, empty in CSV), and no stale marker', async () => {
      const values = [1.5, NaN, Infinity, 0x7ff0000000000002n];
      const samples = values.map((value, ts) => [ts, value] as const);
      const sent = await send(snappy(writeRequest([{ labels: { __name__: 'odd' }, samples }])));
      expect(sent.status, sent.body).to.equal(204);
      const query = async (accept: string): Promise<string> => {
        const body = 'select time, value from odd where time >= 0';
        return (await client.request('POST', '/api/v1/seriesql', { body, headers: { accept } }))
          .body;
      };
      expect(await query('application/json')).to.contain('"rows":[[0,1.5],[1,null],[2,null]]');
      expect(await query('text/csv')).to.equal('time,value\r\n0,1.5\r\n1,\r\n2,\r\n');
      const lines = ['1.5', 'null', 'null'].map((value, ts) => `{"time":${ts},"value":${value}}\n`);
      expect(await query('application/x-ndjson')).to.equal(lines.join(''));
    });

    it('stores nothing of a damaged body', async () => {
      const body = writeRequest([up('damaged'), up('damaged too')]);
      const wrong = [
        snappy(body).subarray(0, 30),
        snappy(body.subarray(0, body.length - 1)),
        body,
        snappy(Buffer.from('this is text')),
      ];
      for (const one of wrong) expect((await send(one)).status).to.equal(400);
      expect(await pointsOf(server.port, 'up', { job: 'damaged' })).to.deep.equal([]);
    });

    it('rejects a body whose snappy header declares too large a size', async () => {
      const body = Buffer.from([0xa1, 0x8d, 0x06, 0]);
      const { status, body: answer } = await send(body);
      expect([status, answer]).to.deep.equal([
        413,
        'snappy: the body has 100001 bytes decompressed; at most 100000 are allowed (max_body_bytes)\n',
      ]);
    });

    it('accepts version 1.0 by each of its names, and no other message', async () => {
      const body = snappy(writeRequest([up('typed')]));
      const types = [
        [protobuf, 204],
        [`${protobuf};proto=prometheus.WriteRequest`, 204],
        [`${protobuf}; proto="prometheus.WriteRequest"`, 204],
        ['', 204],
        [`${protobuf};proto=other.Message`, 415],
        ['application/json', 415],
      ] as const;
      for (const [type, expected] of types) {
        const { status } = await send(body, { 'content-type': type });
        expect([type, status]).to.deep.equal([type, expected]);
      }
      expect((await send(body, { 'content-encoding': 'br' })).status).to.equal(415);
    });

    describe('in version 2.0', () => {
      const second = { 'content-type': `${protobuf};proto=io.prometheus.write.v2.Request` };
      const written = ({ headers }: Answer): readonly unknown[] =>
        ['samples', 'histograms', 'exemplars'].map(
          (what) => headers[`x-prometheus-remote-write-${what}-written`],
        );

      it('stores a request, and answers its counts', async () => {
        const body = secondRequest([up('second', 0.5), up('second too')], {
          ...{ kind: 2, help: 'Whether it answers.' },
        });
        const answer = await send(snappy(body), second);
        expect([answer.status, answer.body]).to.deep.equal([204, '']);
        expect(written(answer)).to.deep.equal(['2', '0', '0']);
        const stored = await pointsOf(server.port, 'up', { job: 'second' });
        expect(stored).to.deep.equal([[base, 0.5]]);
        const empty = await send(Buffer.alloc(0), second);
        expect([empty.status, ...written(empty)]).to.deep.equal([204, '0', '0', '0']);
        const found = await client.request('POST', '/api/v1/metrics/find', {
          body: '{"prefix":"up"}',
        });
        expect(found.body).to.contain('Whether it answers.');
      });

      it('stores the good series of a partly bad request, and answers the counts', async () => {
        const nameless = { labels: { job: 'nameless' }, samples: [[baseMs, 1]] as const };
        const answer = await send(snappy(secondRequest([up('second good'), nameless])), second);
        expect([answer.status, answer.body]).to.deep.equal([
          400,
          '1 of 2 samples rejected: {job="nameless"}: the label __name__ is missing\n',
        ]);
        expect(answer.headers['content-type']).to.equal('text/plain; charset=utf-8');
        expect(written(answer)).to.deep.equal(['1', '0', '0']);
      });

      it('warns that only count and sum of a native histogram are stored', async () => {
        const histogram = Buffer.from('0807190000000000001440780a', 'hex');
        const labels = Buffer.from([1, 2]);
        const message = (number: number, bytes: Uint8Array): Buffer =>
          Buffer.concat([Buffer.of(number * 8 + 2, bytes.length), bytes]);
        const body = Buffer.concat([
          ...['', '__name__', 'native'].map((one) => message(4, Buffer.from(one))),
          message(5, Buffer.concat([message(1, labels), message(3, histogram)])),
        ]);
        const answer = await send(snappy(body), second);
        expect([answer.status, answer.body]).to.deep.equal([
          400,
          'only _count and _sum of 1 native histograms are stored\n',
        ]);
        expect(written(answer)).to.deep.equal(['0', '0', '0']);
        expect(await pointsOf(server.port, 'native_count', {})).to.deep.equal([[10n, 7]]);
        expect(await pointsOf(server.port, 'native_sum', {})).to.deep.equal([[10n, 5]]);
      });

      it('rejects a message of the other version, and stores nothing', async () => {
        const bodies = [
          [writeRequest([up('crossed')]), second],
          [secondRequest([up('crossed')]), {}],
        ] as const;
        for (const [body, headers] of bodies) {
          expect((await send(snappy(body), headers)).status).to.equal(400);
        }
        expect(await pointsOf(server.port, 'up', { job: 'crossed' })).to.deep.equal([]);
      });
    });

    it('counts accepted, rejected and skipped samples under its own name', async () => {
      const { body } = await client.request('GET', '/metrics');
      expect(body).to.match(/seriesdb_protocol_samples_total\{protocol="remote_write"\} 5\d\d/);
      expect(body).to.contain(
        'seriesdb_protocol_requests_total{protocol="remote_write",status="204"}',
      );
      expect(body).to.contain('seriesdb_protocol_rejected_total{protocol="remote_write",code=');
      expect(body).to.contain('protocol="remote_write",reason="metadata_conflict"');
    });
  });
}
