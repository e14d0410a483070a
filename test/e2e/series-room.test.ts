/** New series at three quarters of `memory_limit_bytes`: refused in the terms of each protocol. */

import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { parseExposition, sampleOf } from '../support/exposition-parser.js';
import { codeOf, seriesqlPath } from '../support/long-query.js';
import { secondRequest, snappy, writeRequest } from '../support/remote-write.js';
import { ServerOfTest } from '../support/server-of-test.js';
import { isSanitized, type Server } from '../support/server.js';

import type { Answer } from '../support/client.js';

const kMiB = 1024 * 1024;
const kLimit = 16 * kMiB;
const seriesMax = (kLimit / 4) * 3;

interface Report {
  readonly ingested: number;
  readonly rejected: number;
  readonly errors: readonly { readonly line: number; readonly code: string }[];
}

describe('a memory limit that leaves no room for new series', function () {
  this.timeout(180_000);
  const own = ServerOfTest.forEach();
  const start = (limitBytes: number): Promise<Server> =>
    own.start('--memory-limit-bytes', String(limitBytes));

  const line = (host: string, ts = 1): string =>
    `{"metric":"m","labels":{"host":"${host}"},"ts":${String(ts)},"value":1}\n`;
  /** Retries if flushes do not keep up. */
  const post = async (path: string, body: string | Buffer, type?: string): Promise<Answer> => {
    const coding = type === 'application/x-protobuf' ? { 'content-encoding': 'snappy' } : {};
    const headers = { ...(type === undefined ? {} : { 'content-type': type }), ...coding };
    for (;;) {
      const answer = await own.client.request('POST', path, { body, headers });
      if (answer.status !== 503) return answer;
      await sleep(20);
    }
  };
  const ingest = async (body: string, query = ''): Promise<Answer> =>
    await post(`/api/v1/ingest${query}`, body);
  const figure = async (name: string): Promise<number> =>
    sampleOf(parseExposition((await own.client.get('/metrics')).body), `seriesdb_${name}`);
  const reasons = async (): Promise<readonly string[]> =>
    (JSON.parse((await own.client.get('/status')).body) as { reasons?: string[] }).reasons ?? [];
  const count = async (): Promise<number> => {
    const text = 'select count(value) from m where time >= 0';
    const { body } = await own.client.request('POST', seriesqlPath, { body: text });
    return (JSON.parse(body) as { rows: [[number]] }).rows[0][0];
  };
  /** With series that are known as `h0` and so on; how many there are. */
  const fill = async (): Promise<number> => {
    const many = (from: number, size: number): string =>
      Array.from({ length: size }, (_, at) => line(`h${String(from + at)}`)).join('');
    let made = 0;
    for (let size = 500; size > 0 && made < 1_000_000;) {
      const answer = await ingest(many(made, size));
      if (answer.status === 200) made += size;
      else if (codeOf(answer) === 'series_limit') size = size === 500 ? 20 : size === 20 ? 1 : 0;
      else assert.fail(answer.body);
    }
    return made;
  };

  it('rejects new series from three quarters on, and stores samples of known ones', async () => {
    const server = await start(kLimit);
    const before = server.residentBytes();
    const made = await fill();
    const told = await figure('memory_index_bytes');
    assert.isAtLeast(told, seriesMax * 0.8);
    assert.isBelow(told, seriesMax + kMiB);
    if (!isSanitized) assert.isBelow(server.residentBytes() - before, 6 * kLimit);

    const refused = await ingest(line('h0', 5) + line('new'));
    assert.deepEqual([refused.status, codeOf(refused)], [422, 'series_limit']);
    assert.include(refused.body, 'line 2: memory has no room for a new series');
    assert.strictEqual(await count(), made, 'a request is stored whole or not at all');
    assert.strictEqual((await ingest(line('h0', 6) + line('h1', 6))).status, 200);
    const lenient = await ingest(line('h0', 7) + line('new') + line('h2', 7), '?on_error=skip');
    const { ingested, rejected, errors } = JSON.parse(lenient.body) as Report;
    assert.deepEqual([lenient.status, ingested, rejected], [200, 2, 1]);
    assert.deepInclude(errors[0], { line: 2, code: 'series_limit' });
    assert.strictEqual(await count(), made + 4);

    while ((await reasons()).length === 0) await sleep(50);
    assert.match((await reasons()).join(), /new series are refused: .*three quarters/);
    while ((await figure('series_refused_total')) < 3) await sleep(50);
    assert.isBelow(await figure('series_room_bytes'), 256 * 1024);
    assert.strictEqual(await figure('up'), 1, 'writes go on');
  });

  it('is reported by each protocol in its own format, and the rest is stored', async () => {
    await start(kLimit);
    await fill();
    const legacy = await ingest('{"series":"other","tags":{},"ts":1,"value":1}\n');
    assert.strictEqual(codeOf(legacy), 'series_limit');
    const insert = "insert into m{host='newer'} values (9, 1)";
    const inserted = await own.client.request('POST', seriesqlPath, { body: insert });
    assert.strictEqual(inserted.status, 422, inserted.body);
    const csv = '/api/v1/import/csv?columns=time:ts:ms,value:newer';
    const table = await post(csv, '1,1\n', 'text/csv');
    assert.deepEqual([table.status, codeOf(table)], [422, 'series_limit'], table.body);

    let stored = await count();
    const isOneMore = async (answer: Answer, status: number): Promise<void> => {
      assert.strictEqual(answer.status, status, answer.body);
      assert.include(answer.body, 'no room for a new series');
      assert.strictEqual(await count(), ++stored, answer.body);
    };
    const influx = 'm,host=h0 value=1 11\nm,host=newer value=1 11\n';
    await isOneMore(await post('/write?precision=ms', influx), 400);
    const series = ['h0', 'newer'].map((host) => ({
      labels: { __name__: 'm', host },
      samples: [[12, 1]] as const,
    }));
    const proto = 'application/x-protobuf';
    await isOneMore(await post('/api/v1/write', snappy(writeRequest(series)), proto), 400);
    const later = series.map((one) => ({ ...one, samples: [[13, 1]] as const }));
    const second = `${proto};proto=io.prometheus.write.v2.Request`;
    const answer = await own.client.request('POST', '/api/v1/write', {
      body: snappy(secondRequest(later)),
      headers: { 'content-type': second, 'content-encoding': 'snappy' },
    });
    await isOneMore(answer, 400);
    const point = (host: string) => ({
      timeUnixNano: '14000000',
      asDouble: 1,
      attributes: [{ key: 'host', value: { stringValue: host } }],
    });
    const otlp = {
      resourceMetrics: [
        {
          scopeMetrics: [
            { metrics: [{ name: 'm', gauge: { dataPoints: [point('h0'), point('newer')] } }] },
          ],
        },
      ],
    };
    const partial = await post('/v1/metrics', JSON.stringify(otlp), 'application/json');
    await isOneMore(partial, 200);
    assert.include(partial.body, '"rejectedDataPoints":"1"');
  });

  it('persists after a restart, until the limit is raised', async () => {
    const server = await start(kLimit);
    const made = await fill();
    await server.stop();
    own.client.close();
    const again = await start(kLimit / 2);
    assert.strictEqual(codeOf(await ingest(line('new'))), 'series_limit');
    assert.match((await reasons()).join(), /new series are refused/);
    assert.strictEqual((await ingest(line('h0', 5))).status, 200);
    await again.stop();
    own.client.close();
    await start(2 * kLimit);
    assert.strictEqual((await ingest(line('new'))).status, 200);
    assert.deepEqual(await reasons(), []);
    assert.strictEqual(await figure('series'), made + 1);
  });
});
