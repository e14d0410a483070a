import { assert } from 'chai';

import { SeriesDbClient, type Sample } from '../../src/client/client.js';

import { maximumTs, minimumTs } from '../support/client.js';
import { rejection } from '../support/rejection.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const everything = { start: minimumTs, end: maximumTs };

describe('the client against a server', function () {
  this.timeout(60_000);
  let dataDir = '';
  let server: Server;
  let client: SeriesDbClient;

  before(async () => {
    dataDir = temporaryDirectory();
    const args = ['--transport', 'auto'];
    server = await startServer({ dataDir, args, env: { SERIESDB_AUTH_TOKEN: 'sesame' } });
    client = new SeriesDbClient({ url: server.url, token: 'sesame' });
  });
  after(async () => {
    await killServers();
    removeDirectory(dataDir);
  });

  it('stores points and reads them back to the last bit', async () => {
    const samples: Sample[] = [
      { ts: minimumTs, value: -0 },
      { ts: 2n ** 53n + 1n, value: 5e-324 },
      { ts: maximumTs, value: 0.1 },
    ];
    const labels = { host: 'ä "quoted"' };
    const points = samples.map(({ ts, value }) => ({
      metric: 'exact',
      labels,
      ts,
      value: value ?? 0,
    }));
    assert.deepEqual(await client.ingest(points), {
      ...{ ingested: 3, rejected: 0, errors: [], skipped: 0, warnings: [] },
    });
    const read = await client.range({ metric: 'exact', labels, ...everything });
    assert.deepEqual(read, samples);
    assert.isTrue(Object.is(read[0]?.value, -0));
    assert.deepEqual(await client.range({ metric: 'exact', labels: {}, ...everything }), []);
  });

  it('loads many points in batches and streams them back in pieces', async () => {
    const count = 200_000;
    function* points() {
      for (let at = 0; at < count; at += 1) yield { series: 'many', ts: at, value: at / 3 };
    }
    const report = await client.ingestAll(points(), { batch_size: 500_000 });
    assert.strictEqual(report.ingested, count);
    let at = 0;
    let pieces = 0;
    for await (const samples of client.streamRange({ series: 'many', ...everything })) {
      pieces += 1;
      for (const { ts, value } of samples) {
        assert.isTrue(ts === BigInt(at) && value === at / 3);
        at += 1;
      }
    }
    assert.strictEqual(at, count);
    assert.isAbove(pieces, 1);
  });

  it('counts the bad line over all batches, and reports skipped ones', async () => {
    const lines = Array.from(
      { length: 50 },
      (_, at) => `{"metric":"p","ts":${String(at)},"value":1}`,
    );
    lines[37] = '{"metric":"p","ts":"soon","value":1}';
    const options = { batch_size: 200 };
    const error = await rejection(client.ingestAll(lines, options));
    assert.deepEqual([error.code, error.status, error.line], ['invalid_record', 400, 38]);
    const report = await client.ingestAll(lines, { ...options, on_error: 'skip' });
    assert.deepEqual([report.ingested, report.rejected], [49, 1]);
    assert.deepEqual([report.errors.length, report.errors[0]?.line], [1, 38]);
  });

  it('converts the precision', async () => {
    await client.ingest([{ metric: 'seconds', ts: 7, value: 1 }], { precision: 's' });
    const samples = await client.range({ metric: 'seconds', ...everything });
    assert.deepEqual(samples, [{ ts: 7000n, value: 1 }]);
  });

  it('finds metrics and series with exact ids and times, and compares windows', async () => {
    const ts = 2n ** 62n + 1n;
    await client.ingest([
      { metric: 'found', labels: { host: 'a', zone: 'z' }, ts, value: 1, unit: '%' },
      { metric: 'found', labels: { host: 'b' }, ts: -ts, value: 3 },
    ]);
    const series = await client.findSeries({ metric: 'found', labels: { host: 'a' } });
    const [{ series_id: id } = { series_id: 0n }] = series;
    const labels = { host: 'a', zone: 'z' };
    assert.deepEqual(series, [
      { series_id: id, metric: 'found', labels, first_ts: ts, last_ts: ts },
    ]);
    assert.deepEqual(await client.findSeriesIds({ tags: { host: 'a' } }), [id]);
    assert.deepEqual(await client.labelValues({ key: 'host', metric: 'found' }), ['a', 'b']);
    assert.deepEqual(await client.countLabelValues({ key: 'host', metric: 'found', limit: 1 }), [
      { value: 'a', series_count: 1 },
    ]);
    const [metric] = await client.findMetrics({ prefix: 'found' });
    const bounds = { first_ts: -ts, last_ts: ts };
    assert.deepInclude(metric, { metric: 'found', unit: '%', series_count: 2, ...bounds });
    const [health] = await client.metricsHealth({ prefix: 'found', inactive_before_ts: ts });
    assert.deepInclude(health, { series_count: 2, inactive_series_count: 1, ...bounds });
    const windows = { start: ts, end: ts, baseline_start: 0, baseline_end: 1 };
    const compared = await client.compare({ series_id: id, aggregate: 'last', ...windows });
    assert.deepInclude(compared, { series_id: id, aggregate: 'last', change_abs: null });
    assert.deepEqual(compared.current, { start: ts, end: ts, samples: 1, value: 1 });
    assert.strictEqual((await rejection(client.findMetrics({ limit: -1 }))).code, 'invalid_limit');
  });

  it('stores annotations with exact times and finds those that overlap a range', async () => {
    const start = 2n ** 53n + 1n;
    const deploy = { kind: 'deploy', title: 'ä "2"', message: 'l\n', metric: 'm', end: start + 5n };
    const labels = { host: 'a' };
    const stored = await client.writeAnnotation({ ...deploy, labels, start });
    assert.deepEqual(stored, { id: stored.id, ...deploy, labels, start });
    const note = await client.writeAnnotation({ kind: 'note', title: 'all', start: minimumTs });
    assert.strictEqual(note.id, stored.id + 1n);
    assert.deepEqual(note, {
      ...{ id: note.id, kind: 'note', title: 'all', labels: {} },
      ...{ start: minimumTs, end: minimumTs },
    });
    assert.deepEqual(await client.findAnnotations(), [note, stored]);
    assert.deepEqual(await client.findAnnotations({ limit: 1 }), [note]);
    assert.deepEqual(await client.findAnnotations({ start: start + 5n }), [stored]);
    assert.deepEqual(await client.findAnnotations({ start: start + 6n }), []);
    assert.deepEqual(await client.findAnnotations({ kind: 'deploy', metric: 'm' }), [stored]);
    const either = { labels: { host: 'a', zone: 'z' }, op: 'or' } as const;
    assert.deepEqual(await client.findAnnotations(either), [stored]);
    assert.deepEqual(await client.findAnnotations({ ...either, op: 'and' }), []);
    const refused = client.writeAnnotation({ kind: 'k', title: '', start: 1 });
    const { code, status } = await rejection(refused);
    assert.deepEqual([code, status], ['invalid_title', 400]);
  });

  it('queries return exact integers, columns, rows and stats, and errors a position', async () => {
    const ts = 2n ** 53n + 1n;
    await client.ingest([
      { metric: 'asked', labels: { host: 'a' }, ts, value: 0.5 },
      { metric: 'asked', labels: { host: 'a' }, ts: ts + 1n, value: 2 },
    ]);
    const raw = await client.seriesql("select * from asked{host='a'} where time >= 0");
    const names = raw.columns.map(({ name }) => name);
    assert.includeMembers(names, ['time', 'value']);
    const cell = (row: number, name: string) => raw.rows[row]?.[names.indexOf(name)];
    assert.deepEqual([cell(0, 'time'), cell(0, 'value')], [ts, 0.5]);
    assert.deepEqual([cell(1, 'time'), cell(1, 'value')], [ts + 1n, 2]);
    assert.strictEqual(raw.stats['rows_emitted'], 2);
    const { rows } = await client.seriesql(
      'select max(value), count(*) from asked where time >= 0',
    );
    assert.deepEqual(rows, [[2, 2n]]);
    const error = await rejection(client.seriesql('select value from from'));
    assert.deepEqual([error.code, error.status], ['parse_failed', 400]);
    assert.match(error.message, /^line 1, column 19: /);
  });

  it('streams the answer of a query in the requested format', async () => {
    await client.ingest([{ metric: 'streamed', ts: 7, value: 0.5 }]);
    const textOf = async (format: 'json' | 'csv' | 'ndjson'): Promise<string> => {
      let text = '';
      const decoder = new TextDecoder();
      const query = 'select max(value) as top from streamed where time >= 0';
      for await (const piece of client.streamSeriesql(query, { format })) {
        text += decoder.decode(piece, { stream: true });
      }
      return text;
    };
    assert.strictEqual(await textOf('csv'), 'top\r\n0.5\r\n');
    assert.strictEqual(await textOf('ndjson'), '{"top":0.5}\n');
    assert.match(await textOf('json'), /"rows":\[\[0\.5\]\]/);
  });

  it("reports the server's errors", async () => {
    const intruder = new SeriesDbClient({ url: server.url, token: 'guess' });
    const calls: [() => Promise<unknown>, string, number][] = [
      [() => intruder.findMetrics(), 'unauthorized', 401],
      [() => client.range({ metric: 'm', start: 2, end: 1 }), 'invalid_time_range', 400],
      [() => client.ingest('{"metric":"m"}'), 'invalid_record', 400],
    ];
    for (const [call, code, status] of calls) {
      const error = await rejection(call());
      assert.deepEqual([error.code, error.status], [code, status]);
    }
  });

  it('reads the status', async () => {
    const { status, runtime, compatibility_debt: debt, ...rest } = await client.status();
    assert.strictEqual(status, 'ok');
    assert.deepInclude(rest, { timestamp_unit: 'ms', auth_required: true });
    assert.isAbove(runtime['ingest_total'] ?? 0, 0);
    assert.hasAllKeys(debt, [
      'legacy_segment_descriptors',
      'legacy_wal_descriptors',
      'loose_refs_present',
    ]);
  });
});
