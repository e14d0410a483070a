/** The answers of POST /api/v1/read, over real sockets and both transports. */
import { expect } from 'chai';

import { Client } from '../../support/client.js';
import {
  postRead,
  readRequest,
  readResponse,
  remoteRead,
  unsnappy,
  type AskedMatcher,
} from '../../support/remote-read.js';
import { snappy, varint, field, writeRequest } from '../../support/remote-write.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';

const baseMs = 1_700_000_000_000;
const always = { start: -(2n ** 63n), end: 2n ** 63n - 1n };
const staleBits = 0x7ff0000000000002n;
const metric = (name: string): readonly AskedMatcher[] => [['__name__', '=', name]];
const block = (body: Uint8Array): Buffer<ArrayBuffer> => Buffer.from(snappy(body));

for (const transport of ['uws', 'node'] as const) {
  describe(`remote_read, transport ${transport}`, function () {
    this.timeout(60_000);
    let server: Server;
    let client: Client;

    before(async () => {
      const env = {
        SERIESDB_TRANSPORT: transport,
        SERIESDB_MAX_QUERY_SAMPLES: '20000',
        SERIESDB_MAX_QUERY_SERIES: '50',
      };
      server = await startServer({ dataDir: temporaryDirectory(), env });
      client = new Client(server.port);
    });
    after(async () => {
      client.close();
      await killServers();
    });

    const write = async (series: Parameters<typeof writeRequest>[0]): Promise<void> => {
      const { status, body } = await client.request('POST', '/api/v1/write', {
        body: snappy(writeRequest(series)),
        headers: { 'content-encoding': 'snappy' },
      });
      expect(status, body).to.equal(204);
    };

    it('returns the samples of remote_write bit by bit', async () => {
      const values = [0, -0, 1.5, -1e300, staleBits, 0x7ff8000000000001n, Infinity, -Infinity, 7];
      const sent = Array.from({ length: 20 }, (_, i) => ({
        labels: { __name__: 'sent', Zone: `z${i % 3}`, job: `j${i}` },
        samples: values.map((value, at) => [baseMs + at * 1000 + i, value] as const),
      }));
      await write(sent);
      const [found = []] = await remoteRead(server.port, [{ ...always, matchers: metric('sent') }]);
      const expected = sent.map(({ labels, samples }) => ({
        labels: `{Zone="${labels.Zone}",__name__="sent",job="${labels.job}"}`,
        samples: samples.map(([ts, value]) => [BigInt(ts), bitsOf(value)]),
      }));
      expected.sort((a, b) => (a.labels < b.labels ? -1 : 1));
      expect(
        found.map(({ labels, samples }) => ({
          labels,
          samples: samples.map(({ ts, bits }) => [ts, bits]),
        })),
      ).to.deep.equal(expected);
    });

    it('obeys the inclusive bounds of each query, and the order of queries', async () => {
      const samples = Array.from({ length: 10 }, (_, i) => [baseMs + i, i] as const);
      await write([{ labels: { __name__: 'ends' }, samples }]);
      const read = (from: number, to: number) => ({
        ...{ start: baseMs + from, end: baseMs + to, matchers: metric('ends') },
      });
      const asked = [read(3, 5), read(9, 100), read(10, 100), read(5, 3), read(0, 0)];
      const found = await remoteRead(server.port, asked);
      expect(
        found.map((all) => all.map((one) => one.samples.map(({ value }) => value))),
      ).to.deep.equal([[[3, 4, 5]], [[9]], [], [], [[0]]]);
    });

    it('answers a snappy block, whatever else the client accepts', async () => {
      const body = block(readRequest([{ ...always, matchers: metric('ends') }]));
      const answer = await postRead(server.port, body, { 'accept-encoding': 'gzip, br, zstd' });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('application/x-protobuf');
      expect(answer.headers.get('content-encoding')).to.equal('snappy');
      expect(answer.headers.get('vary')).to.equal(null);
      expect(readResponse(unsnappy(answer.bytes))).to.have.length(1);
      const empty = await postRead(server.port, block(Buffer.alloc(0)));
      expect([empty.status, unsnappy(empty.bytes).length]).to.deep.equal([200, 0]);
    });

    it('uses the first supported response type, and reports if there is none', async () => {
      const reads = [{ ...always, matchers: metric('ends') }];
      const samples = 'application/x-protobuf';
      const chunks = 'application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse';
      for (const [types, expected] of [
        [[], samples],
        [[0], samples],
        [[1], chunks],
        [[1, 0], chunks],
        [[0, 1], samples],
        [[7, 1, 0], chunks],
        [[7, 0, 1], samples],
        [[1, 2], chunks],
        [[2], null],
        [[7, 2n ** 64n - 1n], null],
      ] as const) {
        const answer = await postRead(server.port, block(readRequest(reads, types)));
        expect(answer.status, String(types)).to.equal(expected === null ? 400 : 200);
        if (expected !== null) expect(answer.headers.get('content-type')).to.equal(expected);
        else expect(answer.bytes.toString()).to.match(/SAMPLES or STREAMED_XOR_CHUNKS/);
      }
      const packed = Buffer.concat([readRequest(reads), field(2, Buffer.of(7, 1, 0))]);
      const answer = await postRead(server.port, block(packed));
      expect(answer.headers.get('content-type')).to.equal(chunks);
    });

    it('rejects an excessive request with 400 and the limit', async () => {
      const samples = Array.from({ length: 201 }, (_, i) => [baseMs + i, i] as const);
      const many = Array.from({ length: 50 }, (_, i) => ({
        labels: { __name__: i < 49 ? 'few' : 'one', i: String(i) },
        samples: i < 49 ? [[baseMs, i] as const] : samples,
      }));
      await write(many);
      const ask = (matchers: readonly AskedMatcher[], times: number) =>
        postRead(server.port, block(readRequest(Array(times).fill({ ...always, matchers }))));
      expect((await ask(metric('few'), 1)).status).to.equal(200);
      const series = await ask(metric('few'), 2);
      expect(series.status).to.equal(400);
      expect(series.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(series.bytes.toString()).to.match(/more than 50 series.*max_query_series\n$/);
      const long = Array.from({ length: 20_001 }, (_, i) => [baseMs + i, i] as const);
      await write([{ labels: { __name__: 'long' }, samples: long }]);
      const whole = await ask(metric('long'), 1);
      expect(whole.status).to.equal(400);
      expect(whole.bytes.toString()).to.match(/more than 20000 samples.*max_query_samples\n$/);
      const [most = []] = await remoteRead(server.port, [
        { ...always, start: baseMs + 1, matchers: metric('long') },
      ]);
      expect(most[0]?.samples).to.have.length(20_000);
    });

    it('rejects garbage with one line of text', async () => {
      const whole = readRequest([{ ...always, matchers: metric('ends') }]);
      const query = (content: Uint8Array) => field(1, content);
      const matcher = (content: Uint8Array) => query(field(3, content));
      const largePatterns = Array<AskedMatcher>(5).fill(['a', '=~', '.'.repeat(4000)]);
      const manyMatchers = Array<AskedMatcher>(1025).fill(['a', '=', 'b']);
      for (const [what, body, status = 400] of [
        ['cut short', block(whole.subarray(0, whole.length - 3))],
        ['no snappy', Buffer.from(whole)],
        ['damaged snappy', block(whole).subarray(0, 20)],
        ['text', block(Buffer.from('this is text'))],
        ['a query that is a number', block(Buffer.concat([varint(8), varint(1)]))],
        ['a time that is a text', block(query(field(1, Buffer.from('now'))))],
        ['a matcher of an unknown type', block(matcher(Buffer.concat([varint(8), varint(4)])))],
        ['a name that is not UTF-8', block(matcher(field(2, Buffer.of(0xff))))],
        ['a varint without an end', block(Buffer.alloc(12, 0xff))],
        ['a length beyond the end', block(Buffer.concat([varint(10), varint(2n ** 63n)]))],
        ['a group', block(varint(11))],
        ['a bad pattern', block(readRequest([{ ...always, matchers: [['a', '=~', '(']] }]))],
        [
          'a huge pattern',
          block(readRequest([{ ...always, matchers: [['a', '=~', '.'.repeat(9999)]] }])),
        ],
        ['large patterns', block(readRequest([{ ...always, matchers: largePatterns }]))],
        ['many queries', block(Buffer.concat(Array(65).fill(query(Buffer.alloc(0)))))],
        ['many matchers', block(readRequest([{ ...always, matchers: manyMatchers }]))],
        ['a long body', block(Buffer.alloc(300_000)), 413],
      ] as const) {
        const answer = await postRead(server.port, Buffer.from(body));
        expect(answer.status, what).to.equal(status);
        expect(answer.headers.get('content-type'), what).to.equal('text/plain; charset=utf-8');
        expect(answer.bytes.toString(), what).to.match(/^[^\n]+\n$/);
      }
      const headers = { 'content-type': 'application/json' };
      expect((await postRead(server.port, block(whole), headers)).status).to.equal(415);
    });

    it('ignores unknown fields', async () => {
      const odd = [
        Buffer.concat([varint(9 * 8), varint(2n ** 64n - 1n)]),
        Buffer.concat([varint(10 * 8 + 1), Buffer.alloc(8)]),
        Buffer.concat([varint(11 * 8 + 5), Buffer.alloc(4)]),
        field(2000, Buffer.from('what comes later')),
      ];
      const whole = readRequest([{ ...always, matchers: metric('ends') }]);
      const answer = await postRead(server.port, block(Buffer.concat([...odd, whole, ...odd])));
      expect(answer.status).to.equal(200);
      expect(readResponse(unsnappy(answer.bytes))[0]).to.have.length(1);
    });
  });
}

function bitsOf(value: number | bigint): bigint {
  if (typeof value === 'bigint') return value;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes.readBigUInt64LE();
}
