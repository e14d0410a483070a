/** Answers that can be computed by hand, through the public API. */

import { expect } from 'chai';

import { transportNames } from '../support/admin-server.js';
import { Client, type Answer } from '../support/client.js';
import { seriesqlPath } from '../support/long-query.js';
import { field, snappy, text, varint, writeRequest } from '../support/remote-write.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

const kStart = 1_700_000_000;
const kEnd = kStart + 55;

for (const transport of transportNames) {
  describe(`answers computed by hand, over ${transport}`, () => {
    const dataDir = temporaryDirectory();
    let client: Client;
    before(async () => {
      const server = await startServer({ dataDir, args: ['--transport', transport] });
      client = new Client(server.port);
      const lines = Array.from({ length: 10 }, (_, at) => {
        const ts = (kStart + at * 10) * 1000;
        return `{"metric":"m","ts":${String(ts)},"value":${String(at * 10)}}\n`;
      });
      expect((await post('/api/v1/ingest', lines.join(''))).status).to.equal(200);
    });
    after(async () => {
      client.close();
      await killServers();
      removeDirectory(dataDir);
    });

    const post = (path: string, body: string | Uint8Array, type = 'text/plain'): Promise<Answer> =>
      client.request('POST', path, { body, headers: { 'content-type': type } });
    const rowsOf = async (statement: string): Promise<unknown> => {
      const answer = await post(seriesqlPath, statement);
      expect(answer.status, answer.body).to.equal(200);
      return (JSON.parse(answer.body) as { rows: unknown }).rows;
    };
    const valuesOf = async (query: string): Promise<readonly string[]> => {
      const range = `start=${String(kStart)}&end=${String(kEnd)}&step=20`;
      const path = `/api/v1/query_range?query=${encodeURIComponent(query)}&${range}`;
      const { body } = await client.request('GET', path);
      const { data } = JSON.parse(body) as {
        data: { result: readonly { values: readonly [number, string][] }[] };
      };
      return (data.result[0]?.values ?? []).map(([, value]) => value);
    };

    for (const [query, value] of [
      ['m @ end()', '50'],
      ['m @ end() offset 10s', '40'],
      ['sum_over_time(m[20s] @ end())', '90'],
      ['max_over_time(m[30s:10s] @ end())', '50'],
      ['sum_over_time(m[20s] @ end() offset 10s)', '70'],
      ['sum_over_time(m[30s:10s] @ end() offset 10s)', '90'],
      ['max_over_time((m @ end())[30s:10s])', '50'],
      ['max_over_time((m @ end() offset 10s)[30s:10s] offset 10s)', '40'],
      ['m @ start()', '0'],
    ] as const) {
      it(`${query} is ${value} at each step, and the last step is before the end`, async () => {
        expect(await valuesOf(query)).to.deep.equal([value, value, value]);
      });
    }

    for (const [op, value] of [
      ['or', '50'],
      ['+', String(50 * 300)],
    ] as const) {
      it(`a flat chain of 300 by "${op}" is evaluated`, async () => {
        const query = Array.from({ length: 300 }, () => 'm').join(` ${op} `);
        const form = new URLSearchParams({ query, time: String(kEnd) }).toString();
        const type = 'application/x-www-form-urlencoded';
        const { status, body } = await post('/api/v1/query', form, type);
        expect(status, body).to.equal(200);
        expect(body).to.include(`,"${value}"]`);
      });
    }

    it('a 25-hour day in St. John’s begins before the repeated times', async () => {
      const at = Date.parse('2010-11-07T02:40:00Z');
      const line = `{"metric":"late","ts":${String(at)},"value":1}\n`;
      expect((await post('/api/v1/ingest', line)).status).to.equal(200);
      const bucket = "time_bucket(1d, time, 'America/St_Johns') as t";
      const rows = await rowsOf(`select ${bucket}, count(*) from late where time > 0 group by t`);
      expect(rows).to.deep.equal([[Date.parse('2010-11-06T02:30:00Z'), 1]]);
    });

    it('a time outside of the integer range is rejected with a named error', async () => {
      const huge = '9'.repeat(400);
      for (const path of [
        `query?query=1&time=${huge}`,
        `labels?end=${huge}`,
        'labels?start=1e999',
      ]) {
        const { status, body } = await client.request('GET', `/api/v1/${path}`);
        expect([status, body]).to.satisfy(() => status === 400 && body.includes('"bad_data"'));
      }
    });

    it('an ampersand in a path segment is part of the segment', async () => {
      const line = '{"metric":"odd","labels":{"a&b":"x"},"ts":1,"value":1}\n';
      expect((await post('/api/v1/ingest', line)).status).to.equal(200);
      for (const key of ['a&b', 'a%26b']) {
        const { body } = await client.request('GET', `/api/v1/label/${key}/values`);
        expect(JSON.parse(body)).to.have.deep.property('data', ['x']);
      }
    });

    it('a byte order mark before the first line is not part of a name', async () => {
      const mark = '\ufeff';
      expect((await post('/write', `${mark}marked value=1 1000000\n`)).status).to.equal(204);
      const json = `${mark}{"metric":"marked2","ts":1,"value":1}\n`;
      expect((await post('/api/v1/ingest', json)).status).to.equal(200);
      expect(await rowsOf('show metrics')).to.satisfy((rows: readonly (readonly [string])[]) => {
        const names = rows.map(([name]) => name);
        return names.includes('marked2') && names.every((name) => !name.includes(mark));
      });
    });

    it('remote_write without a Content-Encoding is decoded as snappy', async () => {
      const samples = [[1000, 1]] as const;
      const body = snappy(writeRequest([{ labels: { __name__: 'plain' }, samples }]));
      expect((await post('/api/v1/write', body, 'application/x-protobuf')).status).to.equal(204);
      expect(await rowsOf('select value from plain where time > 0')).to.deep.equal([[1]]);
    });

    it('a histogram of OTLP may end its bounds with +Inf', async () => {
      const answer = await post('/v1/metrics', histogram([1, Infinity]), 'application/x-protobuf');
      expect([answer.status, answer.body.trim()]).to.deep.equal([200, '']);
      const buckets = 'select tag.le, value from hist_bucket where time > 0 order by tag.le';
      expect(await rowsOf(buckets)).to.deep.equal([
        ['+Inf', 3],
        ['1', 1],
      ]);
    });
  });
}

/** A histogram with one sample in the first bucket and two in the next. */
function histogram(bounds: readonly number[]): Buffer {
  const wide = (numbers: readonly bigint[]): Buffer => {
    const bytes = Buffer.alloc(8 * numbers.length);
    numbers.forEach((one, at) => bytes.writeBigUInt64LE(one, 8 * at));
    return bytes;
  };
  const doubles = Buffer.alloc(8 * bounds.length);
  bounds.forEach((one, at) => doubles.writeDoubleLE(one, 8 * at));
  const fixed = (number: number, value: bigint): Buffer =>
    Buffer.concat([varint(number * 8 + 1), wide([value])]);
  const point = [
    ...[fixed(3, 1_700_000_000_000_000_000n), fixed(4, 3n)],
    ...[field(6, wide([1n, 2n])), field(7, doubles)],
  ];
  // Cumulative.
  const points = Buffer.concat([field(1, Buffer.concat(point)), Buffer.of(16, 2)]);
  const metric = Buffer.concat([text(1, 'hist'), field(9, points)]);
  return field(1, field(2, field(2, metric)));
}
