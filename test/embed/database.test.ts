import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';

import { AppError, open, type Database, type Point } from '../../src/embedded.js';

import { maximumTs, minimumTs } from '../support/client.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

const everything = { start: minimumTs, end: maximumTs };

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    assert.instanceOf(error, AppError);
    return error.code;
  }
  return 'nothing';
}

describe('an embedded database', function () {
  this.timeout(60_000);
  let directory = '';
  let database: Database;

  beforeEach(async () => {
    directory = temporaryDirectory();
    database = await open(directory);
  });
  afterEach(async () => {
    await database.close();
    removeDirectory(directory);
  });

  it('runs queries, with exact integers', async () => {
    await database.ingest([
      { metric: 'cpu', labels: { host: 'a' }, ts: 2n ** 53n + 1n, value: 1.5 },
      { metric: 'cpu', labels: { host: 'b' }, ts: 5n, value: 2 },
    ]);
    const { columns, rows, stats } = await database.seriesql(
      'select tag.host, time, value from cpu where time >= 0',
    );
    assert.deepEqual(
      columns.map(({ type }) => type),
      ['string', 'timestamp', 'float'],
    );
    assert.deepEqual(rows, [
      ['b', 5n, 2],
      ['a', 2n ** 53n + 1n, 1.5],
    ]);
    assert.strictEqual(stats['rows_emitted'], 2);
    assert.strictEqual(await codeOf(database.seriesql('select')), 'parse_failed');
    assert.strictEqual(await codeOf(database.seriesql('')), 'query_required');
  });

  it('keeps points to the last bit, in memory, after a flush and after another open', async () => {
    const labels = { host: 'ä' };
    const samples = [
      { ts: minimumTs, value: -0 },
      { ts: 2n ** 53n + 1n, value: 5e-324 },
      { ts: maximumTs, value: 0.1 },
    ];
    const points = samples.map((sample) => ({ metric: 'm', labels, ...sample }));
    assert.deepEqual(await database.ingest(points), {
      ...{ ingested: 3, rejected: 0, errors: [], skipped: 0, warnings: [] },
    });
    for (const step of ['memory', 'flush', 'open'] as const) {
      if (step === 'flush') await database.flush();
      if (step === 'open') {
        await database.close();
        database = await open(directory);
      }
      assert.deepEqual(await database.range({ metric: 'm', labels, ...everything }), samples, step);
    }
    assert.deepEqual(await database.range({ metric: 'm', labels: {}, ...everything }), []);
    assert.deepEqual(await database.range({ series_id: 1, ...everything }), []);
  });

  it('takes text, bytes and any number of points, and streams them back', async () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, at) => `{"series":"ä😀","ts":${String(at)},"value":1}\n`,
    );
    const text = lines.join('');
    assert.strictEqual((await database.ingest(text)).ingested, 20_000);
    assert.strictEqual(
      (await database.ingest(Buffer.from(text.replaceAll('😀', '')))).ingested,
      20_000,
    );
    function* points(): Generator<Point> {
      for (let ts = 0; ts < 50_000; ts += 1) yield { metric: 'many', ts, value: ts / 3 };
    }
    assert.strictEqual((await database.ingest(points())).ingested, 50_000);
    let count = 0;
    let pieces = 0;
    for await (const samples of database.streamRange({ metric: 'many', ...everything })) {
      pieces += 1;
      for (const { ts, value } of samples) {
        assert.isTrue(ts === BigInt(count) && value === count / 3);
        count += 1;
      }
    }
    assert.strictEqual(count, 50_000);
    assert.isAbove(pieces, 10);
    assert.strictEqual((await database.range({ series: 'ä😀', ...everything })).length, 20_000);
    assert.strictEqual((await database.range({ series: 'ä', ...everything })).length, 20_000);
  });

  it('stores all or nothing, or the good lines on request', async () => {
    const good = '{"metric":"m","ts":1,"value":1}\n';
    const bad = '{"metric":"m","ts":2}\n';
    const error = await database.ingest(good + bad).then(
      () => null,
      (one: unknown) => one,
    );
    assert.instanceOf(error, AppError);
    assert.deepEqual([error.code, error.status], ['invalid_record', 400]);
    assert.match(error.message, /^line 2: /);
    assert.deepEqual(await database.range({ metric: 'm', ...everything }), []);
    const report = await database.ingest(good + bad, { on_error: 'skip' });
    assert.deepEqual([report.ingested, report.rejected, report.errors[0]?.line], [1, 1, 2]);
    await database.ingest([{ metric: 's', ts: 7, value: 1 }], { precision: 's' });
    const [sample] = await database.range({ metric: 's', ...everything });
    assert.strictEqual(sample?.ts, 7000n);
  });

  it('compares two windows', async () => {
    const value = (ts: number): Point => ({ metric: 'm', ts, value: ts });
    await database.ingest([value(1), value(2), value(11), value(12)]);
    const result = await database.compare({
      ...{ metric: 'm', aggregate: 'sum', start: 11, end: 20 },
      ...{ baseline_start: 0, baseline_end: 10 },
    });
    assert.deepInclude(result, { aggregate: 'sum', change_abs: 20 });
    assert.deepEqual(result.current, { start: 11n, end: 20n, samples: 2, value: 23 });
  });

  it('says what it holds', async () => {
    await database.ingest([
      { metric: 'cpu', labels: { host: 'a' }, ts: 2n ** 53n + 1n, value: 1, kind: 'gauge' },
      { metric: 'cpu', labels: { host: 'b' }, ts: 5, value: 1 },
    ]);
    const series = await database.findSeries({ metric: 'cpu', labels: { host: 'a' } });
    const [{ series_id: id } = { series_id: 0n }] = series;
    const bounds = { first_ts: 2n ** 53n + 1n, last_ts: 2n ** 53n + 1n };
    assert.deepEqual(series, [{ series_id: id, metric: 'cpu', labels: { host: 'a' }, ...bounds }]);
    assert.deepEqual(await database.findSeriesIds({ tags: { host: 'a' } }), [id]);
    assert.deepEqual(await database.labelValues({ key: 'host', prefix: 'b' }), ['b']);
    const [metric] = await database.findMetrics({ prefix: 'c', limit: 1 });
    assert.deepInclude(metric, { metric: 'cpu', series_count: 2, first_ts: 5n });
    const [health] = await database.metricsHealth({ inactive_before_ts: 6 });
    assert.deepInclude(health, { inactive_series_count: 1, inactive: false });
    assert.strictEqual(await codeOf(database.findMetrics({ limit: -1 })), 'invalid_limit');
  });

  it('keeps annotations through a flush and a reopen, and finds overlaps', async () => {
    const start = 2n ** 53n + 1n;
    const deploy = {
      kind: 'deploy',
      title: 'version 2',
      message: 'ä\n',
      metric: 'm',
      end: start + 5n,
    };
    const labels = { host: 'a' };
    const stored = await database.writeAnnotation({ ...deploy, labels, start });
    assert.deepEqual(stored, { id: 1n, ...deploy, labels, start });
    const note = await database.writeAnnotation({ kind: 'note', title: 'all', start: minimumTs });
    assert.deepEqual(note, {
      ...{ id: 2n, kind: 'note', title: 'all', start: minimumTs, end: minimumTs, labels: {} },
    });
    for (const step of ['memory', 'flush', 'open'] as const) {
      if (step === 'flush') await database.flush();
      if (step === 'open') {
        await database.close();
        database = await open(directory);
      }
      assert.deepEqual(await database.findAnnotations(), [note, stored], step);
      assert.deepEqual(await database.findAnnotations({ start: start + 5n }), [stored]);
      assert.deepEqual(await database.findAnnotations({ start: start + 6n }), []);
      assert.deepEqual(await database.findAnnotations({ limit: 1 }), [note]);
      const either = { labels: { host: 'a', zone: 'z' }, op: 'or' } as const;
      assert.deepEqual(await database.findAnnotations(either), [stored]);
      assert.deepEqual(await database.findAnnotations({ ...either, op: 'and' }), []);
    }
    const next = await database.writeAnnotation({ kind: 'note', title: 'after', start: 0 });
    assert.strictEqual(next.id, 3n);
  });

  it('rejects with the error codes of the API', async () => {
    await database.ingest([
      { metric: 'm', labels: { a: '1' }, ts: 1, value: 1 },
      { metric: 'm', labels: { a: '2' }, ts: 1, value: 1 },
    ]);
    const range = (query: object) => database.range({ metric: 'm', ...everything, ...query });
    const refused: [() => Promise<unknown>, string][] = [
      [() => range({}), 'ambiguous_selector'],
      [() => range({ start: 2, end: 1 }), 'invalid_time_range'],
      [() => range({ start: 1.5 }), 'invalid_start'],
      [() => range({ end: 2n ** 63n }), 'invalid_end'],
      [() => database.range({ series_id: -1, ...everything }), 'invalid_series_id'],
      [() => database.ingest([{ metric: 'm', ts: 1, value: NaN }]), 'invalid_record'],
      [() => database.ingest([{ metric: 'm', ts: 2 ** 53, value: 1 }]), 'invalid_record'],
      [() => database.writeAnnotation({ kind: '', title: 't', start: 1 }), 'invalid_kind'],
      [() => database.writeAnnotation({ kind: 'k', title: 't', start: 1.5 }), 'invalid_start'],
      [
        () => database.writeAnnotation({ kind: 'k', title: 't', start: 2, end: 1 }),
        'invalid_time_range',
      ],
      [() => database.findAnnotations({ end: 2n ** 63n }), 'invalid_end'],
      [() => database.findAnnotations({ start: 2, end: 1 }), 'invalid_time_range'],
      [() => database.findAnnotations({ limit: 0.5 }), 'invalid_limit'],
      [() => open(directory), 'locked'],
      [() => open(directory, { fsync: 'sometimes' as 'none' }), 'invalid_configuration'],
      [() => open(directory, { max_line_byte: 1 } as object), 'invalid_configuration'],
    ];
    for (const [ask, code] of refused) assert.strictEqual(await codeOf(ask()), code);
  });

  it('stays closed after close(), and reports its state before', async () => {
    await database.ingest([{ metric: 'm', ts: 1, value: 1 }]);
    const { status, reasons, runtime } = database.status();
    assert.deepEqual([status, reasons, runtime['ingest_total']], ['ok', [], 1]);
    await database.close();
    await database.close();
    assert.strictEqual(await codeOf(database.range({ metric: 'm', ...everything })), 'closed');
    assert.strictEqual(await codeOf(database.ingest('')), 'closed');
    const other = open(directory, { timestamp_unit: 'ns' });
    assert.strictEqual(await codeOf(other), 'unit_mismatch');
  });

  it('runs the example, which imports the package by its name', () => {
    const example = fileURLToPath(new URL('../../examples/embedded.js', import.meta.url));
    const done = spawnSync(process.execPath, [example], { encoding: 'utf8' });
    assert.strictEqual(done.stderr, '');
    const lines = done.stdout.trimEnd().split('\n');
    assert.strictEqual(lines[0], '4 samples stored');
    assert.match(lines[1] ?? '', /^invalid_record: line 1: /);
    assert.deepEqual(lines.slice(2), ['1700000000000 0.5', '1700000060000 0.25']);
  });
});
