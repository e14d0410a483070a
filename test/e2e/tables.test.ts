/** `seriesdb export --format` and `seriesdb import` as a user runs them: tables of samples. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { DuckDBInstance } from '@duckdb/node-api';
import { assert } from 'chai';

import { runCli, type CliResult } from '../support/cli.js';
import { hostileLines } from '../support/hostile-samples.js';
import { Random, testSeed } from '../support/random.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const realData = fileURLToPath(new URL('../../../examples/data', import.meta.url));

/** Rows of a query in DuckDB, an independent reader of tables. */
async function duckdb(sql: string): Promise<readonly unknown[]> {
  const connection = await (await DuckDBInstance.create()).connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
  }
}

describe('tables of samples', function () {
  this.timeout(180_000);
  after(killServers);
  const folder = temporaryDirectory();
  let count = 0;

  async function start(unit = 'ms'): Promise<Server> {
    const dataDir = path.join(folder, `data-${String((count += 1))}`);
    return startServer({ dataDir, args: ['--timestamp-unit', unit] });
  }

  function write(name: string, content: string | Uint8Array): string {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  }

  function run(server: Server, words: readonly string[], input?: string): Promise<CliResult> {
    const env = { SDB_URL: server.url };
    return runCli(words, input === undefined ? { env } : { env, input });
  }

  async function done(server: Server, words: readonly string[], input?: string): Promise<string> {
    const { code, out, err } = await run(server, words, input);
    // The server warns that random times look like another unit.
    const rest = err.replace(/^warning: the time .*\n/gm, '');
    assert.deepEqual([code, rest], [0, ''], words.join(' '));
    return out;
  }

  for (const format of ['ndjson', 'csv', 'parquet']) {
    it(`round-trip through ${format} byte for byte (seed ${String(testSeed)})`, async () => {
      const dataDir = path.join(folder, `first-${format}`);
      const first = await startServer({ dataDir });
      await done(first, ['ingest'], hostileLines(new Random(testSeed), 1_500));
      const lines = await done(first, ['export']);
      assert.isAbove(lines.length, 50_000);
      const file = path.join(folder, `all.${format}`);
      assert.strictEqual(await done(first, ['export', '--output', file]), '');
      assert.isFalse(existsSync(`${file}.tmp`));
      const second = await start();
      const report = JSON.parse(await done(second, ['import', '--json', file])) as object;
      assert.deepInclude(report, { rejected: 0, inputs: 1, ingested: lines.match(/\n/g)?.length });
      assert.strictEqual(await done(second, ['export']), lines);
      const again = path.join(folder, `again.${format}`);
      await done(second, ['export', '--output', again]);
      assert.isTrue(readFileSync(file).equals(readFileSync(again)));
      // The same bytes out of the directory of a server that was killed.
      await first.kill();
      const offline = await runCli(['export', dataDir, '--output', again, '--format', format]);
      assert.deepEqual([offline.code, offline.err], [0, '']);
      assert.isTrue(readFileSync(file).equals(readFileSync(again)));
    });
  }

  it('are readable by another program, label by label', async () => {
    const server = await start('us');
    const input =
      '{"metric":"cpu","labels":{"host":"a, \\"b\\"","ts":"x"},"unit":"%","ts":1700000000000001,"value":0.1}\n' +
      '{"metric":"cpu","labels":{"host":"two\\nlines"},"ts":1700000001000000,"value":-5e-324}\n' +
      '{"metric":"disk","labels":{"path":"/ü"},"ts":7,"value":3}\n';
    await done(server, ['ingest'], input);
    const file = path.join(folder, 'duck.csv');
    await done(server, ['export', '--output', file]);
    const rows = await duckdb(
      `select ts_us::text as ts, metric, value, host, path, "label.ts", metric_unit
       from read_csv('${file}', header = true) order by metric, ts_us`,
    );
    const none = { host: null, path: null, 'label.ts': null, metric_unit: null };
    assert.deepEqual(rows, [
      {
        ...{ ...none, ts: '1700000000000001', metric: 'cpu', value: 0.1 },
        ...{ host: 'a, "b"', 'label.ts': 'x', metric_unit: '%' },
      },
      {
        ...{ ...none, ts: '1700000001000000', metric: 'cpu', value: -5e-324 },
        ...{ host: 'two\nlines', metric_unit: '%' },
      },
      { ...none, ts: '7', metric: 'disk', value: 3, path: '/ü' },
    ]);
    const part = ['export', '--format', 'csv', '--prefix', 'disk', '--end', '7', '-l', 'path=/ü'];
    assert.strictEqual(await done(server, part), 'ts_us,metric,value,path\n7,disk,3,/ü\n');
  });

  it('are readable by another program from Parquet, with times as timestamps', async () => {
    for (const [unit, type, count] of [
      ['s', 'BIGINT', '1700000000'],
      ['ms', 'TIMESTAMP WITH TIME ZONE', '1700000000000'],
      ['us', 'TIMESTAMP WITH TIME ZONE', '1700000000000000'],
      ['ns', 'TIMESTAMP WITH TIME ZONE', '1700000000000000000'],
    ] as const) {
      const server = await start(unit);
      const input =
        `{"metric":"cpu","labels":{"host":"a"},"unit":"%","ts":${count},"value":-0.5}\n` +
        `{"metric":"cpu","labels":{"zone":"b"},"ts":${count},"value":1e300}\n`;
      await done(server, ['ingest'], input);
      const file = path.join(folder, `duck-${unit}.parquet`);
      await done(server, ['export', '--output', file]);
      const time = unit === 's' ? 'ts_s' : `epoch_${unit}(ts_${unit})`;
      const rows = await duckdb(
        `select typeof(ts_${unit}) as type, ${time}::text as time,
           metric, value, host, zone, metric_unit
         from '${file}' order by value`,
      );
      const same = { type, time: count, metric: 'cpu', metric_unit: '%' };
      assert.sameDeepMembers(
        [...rows],
        [
          { ...same, value: -0.5, host: 'a', zone: null },
          { ...same, value: 1e300, host: null, zone: 'b' },
        ],
      );
      const empty = path.join(folder, `empty-${unit}.parquet`);
      await done(server, ['export', '--prefix', 'none', '--output', empty]);
      assert.deepEqual(await duckdb(`select * from '${empty}'`), []);
      assert.match(await done(server, ['import', empty]), /^0 samples/);
      await server.kill();
    }
  });

  it('written as Parquet by another program load, whatever their types', async () => {
    const server = await start('us');
    const file = path.join(folder, 'other.parquet');
    const select = `select timestamp '2024-02-29 12:00:00.000001' + to_seconds(i) as time,
      'disk' as name, (i / 4)::float as used, i::integer as free, 'h' || i as host, i % 2 = 0 as spare,
      date '2024-01-01' as day, [i] as list from range(3) t(i)`;
    const columns = ['--metric-column', 'name', '--value-column', 'used', '--value-column', 'free'];
    const ignored = ['--ignore-column', 'list'];
    for (const codec of ['snappy', 'gzip', 'uncompressed', 'brotli']) {
      await duckdb(`copy (${select}) to '${file}' (format parquet, compression ${codec})`);
      const out = await done(server, ['import', file, ...columns, ...ignored, '-l', `c=${codec}`]);
      assert.match(out, /^6 samples/);
      assert.strictEqual(
        await done(server, [
          'export',
          '-l',
          `c=${codec}`,
          '--prefix',
          'disk.used',
          '-l',
          'host=h1',
        ]),
        `{"metric":"disk.used","labels":{"c":"${codec}","day":"2024-01-01","host":"h1","spare":"false"},` +
          '"ts":1709208001000001,"value":0.25}\n',
      );
    }
    const nested = await run(server, ['import', file, ...columns]);
    assert.match(nested.err, /cannot read .*: the column "list" is nested; see --ignore-column/);
    const types: readonly (readonly [string, string])[] = [
      ["timestamp_ns '1970-01-01 00:00:00.000007'", '7'],
      ["timestamp_ms '1970-01-01 00:00:00.007'", '7000'],
      ["date '1970-01-02'", '86400000000'],
      ["'1970-01-01T00:00:00.000008Z'", '8'],
      ['9::bigint', '9'],
    ];
    for (const [time, count] of types) {
      const one = `select ${time} as time, 'typed' as metric, 1.5 as value`;
      await duckdb(`copy (${one}) to '${file}' (format parquet)`);
      const { code, err } = await run(server, ['import', file, '-l', `count=${count}`]);
      assert.strictEqual(code, 0, err);
      const line = `{"metric":"typed","labels":{"count":"${count}"},"ts":${count},"value":1.5}\n`;
      assert.strictEqual(await done(server, ['export', '-l', `count=${count}`]), line);
    }
  });

  it('name the bad row of a Parquet file, continue after it, reject a damaged file', async () => {
    const server = await start();
    const file = path.join(folder, 'rows.parquet');
    const value = "case when i = 200000 then 'nan'::double else i end as value";
    await duckdb(
      `copy (select i as ts, 'm' as metric, ${value} from range(300000) t(i)) to '${file}' (format parquet)`,
    );
    const stopped = await run(server, ['import', '--batch-size', '1MiB', file]);
    assert.strictEqual(stopped.code, 1);
    assert.include(stopped.err, `${file}, row 200001: the value "NaN" is not a finite number`);
    const [, row] = /nothing after row (\d+) was/.exec(stopped.err) ?? [];
    assert.isAbove(Number(row), 100_000);
    const skipped = await run(server, ['import', '--on-error', 'skip', file]);
    assert.include(skipped.err, `continuing after row ${String(row)}`);
    assert.include(skipped.err, `${file}, row 200001: the value "NaN" is not a finite number`);
    assert.strictEqual(skipped.code, 4);
    assert.match(skipped.out, /^299,999 samples from 1 input .*, 1 line skipped\n$/);
    const own = path.join(folder, 'own.parquet');
    await done(server, ['export', '--output', own]);
    const bytes = readFileSync(own);
    bytes[1_000_000] = (bytes[1_000_000] ?? 0) ^ 1;
    writeFileSync(own, bytes);
    const damaged = await run(server, ['import', own]);
    assert.deepEqual([damaged.code, damaged.out], [1, '']);
    assert.match(damaged.err, /^seriesdb: cannot read .*own\.parquet: it is damaged/);
    for (const [words, reason] of [
      [['import', '--format', 'parquet'], /a Parquet file cannot be read from a stream/],
      [
        ['import', write('text.parquet', 'a,b\n')],
        /cannot read .*text.parquet: it is not a Parquet file/,
      ],
      [['import', path.join(folder, 'absent.parquet')], /there is no such file/],
      [['export', '--format', 'parquet'], /Parquet is binary; name a file by --output/],
    ] as const) {
      const { code, err } = await run(server, words, '');
      assert.strictEqual(code, words[0] === 'export' ? 2 : 1);
      assert.match(err, reason);
    }
  });

  it('of another unit, with textual times, or compressed, mean the same', async () => {
    const server = await start('ns');
    const seconds = 'ts_s,metric,value\n-7,old,1\n0001700000000,old,+2.50\n';
    await done(server, ['import', write('unit.csv.gz', gzipSync(seconds))]);
    const iso = 'timestamp,metric,value\n1970-01-01 00:00:00.000000001+00,new,.5\n1,new,1e3\n';
    await done(server, ['import', '--format', 'csv', '--precision', 's', '-'], iso);
    const lines = '{"metric":"line","ts":3,"value":1}\n';
    await done(server, ['import', '--precision', 'ms'], lines);
    assert.strictEqual(
      await done(server, ['export', '--format', 'csv']),
      'ts_ns,metric,value\n3000000,line,1\n1,new,0.5\n1000000000,new,1000\n' +
        '-7000000000,old,1\n1700000000000000000,old,2.5\n',
    );
  });

  it('with other column names load by column flags, several values per row', async () => {
    const server = await start();
    const wide =
      '\ufeffwhen;host;user;system;junk\r\n' +
      '2024-02-29T12:00:00.5Z;"a;""1""";1;2;x\r\n' +
      '\r\n' +
      '5;b;;4;x\r\n' +
      '6;b;;;x\r\n';
    const file = write('wide.csv', wide);
    const columns = ['--time-column', 'when', '--value-column', 'user', '--value-column', 'system'];
    const rest = ['--ignore-column', 'junk', '--delimiter', ';', '--metric', 'cpu', '-l', 'dc=x'];
    assert.match(await done(server, ['import', file, ...columns, ...rest]), /^3 samples from 1/);
    assert.strictEqual(
      await done(server, ['export', '--prefix', 'cpu.']),
      '{"metric":"cpu.system","labels":{"dc":"x","host":"a;\\"1\\""},"ts":1709208000500,"value":2}\n' +
        '{"metric":"cpu.system","labels":{"dc":"x","host":"b"},"ts":5,"value":4}\n' +
        '{"metric":"cpu.user","labels":{"dc":"x","host":"a;\\"1\\""},"ts":1709208000500,"value":1}\n',
    );
    const tabbed = 'name\ttime\treading\nnamed\t1\t2\n';
    const names = ['--metric-column', 'name', '--value-column', 'reading', '--delimiter', 'tab'];
    await done(server, ['import', '--format', 'csv', ...names], tabbed);
    const named = '{"metric":"named","labels":{},"ts":1,"value":2}\n';
    assert.strictEqual(await done(server, ['export', '--prefix', 'named']), named);
  });

  it('after a byte order mark load: lines and columns, plain and compressed', async () => {
    const server = await start();
    const line = (metric: string): string =>
      `\ufeff${JSON.stringify({ metric, labels: {}, ts: 1, value: 1 })}\n`;
    await done(server, ['import', write('marked.ndjson', line('a'))]);
    await done(server, ['import', write('marked.ndjson.gz', gzipSync(line('b')))]);
    await done(server, ['import'], line('c'));
    await done(server, ['import', write('marked.csv', '\ufeffmetric,ts,value\nd,1,1\n')]);
    const expected = ['a', 'b', 'c', 'd'].map((metric) => line(metric).slice(1));
    assert.strictEqual(await done(server, ['export']), expected.join(''));
    assert.match(await done(server, ['import'], '\ufeff'), /^0 samples/);
  });

  it('of real data load completely', async () => {
    const server = await start();
    let rows = 0;
    const tables = readdirSync(realData, { recursive: true, encoding: 'utf8' });
    for (const name of tables.filter((one) => one.endsWith('.csv'))) {
      const file = path.join(realData, name);
      const metric = ['--metric', 'real', '-l', `file=${name}`, '--no-resume'];
      await done(server, ['import', file, ...metric]);
      const table = readFileSync(file, 'utf8').trim().split(/\r?\n/).slice(1);
      const wanted = new Map(
        table.map((row) => {
          const [time = '', value = ''] = row.split(',');
          return [Date.parse(`${time.replace(' ', 'T')}Z`), Number(value)];
        }),
      );
      const found = (await done(server, ['export', '-l', `file=${name}`])).trim().split('\n');
      const stored = found.map((line) => JSON.parse(line) as { ts: number; value: number });
      const sorted = [...wanted].sort(([one], [other]) => one - other);
      assert.deepEqual(
        stored.map(({ ts, value }) => [ts, value]),
        sorted,
      );
      rows += wanted.size;
    }
    assert.isAbove(rows, 10_000);
  });

  it('stop at a bad row and name its line, or skip it', async () => {
    const server = await start();
    const rows = Array.from(
      { length: 300 },
      (_, at) => `${String(at)},m,${String(at)},"two\nlines"`,
    );
    const bad = [...rows];
    bad[200] = 'soon,m,1,x';
    const file = write('bad.csv', `ts,metric,value,host\n${bad.join('\n')}\n`);
    const stopped = await run(server, ['import', '--batch-size', '1000', file]);
    assert.strictEqual(stopped.code, 1);
    assert.include(stopped.err, `seriesdb: ${file}:402: "soon" is not a time`);
    const [, line] = /nothing after line (\d+) was/.exec(stopped.err) ?? [];
    // Each row before has two lines; the line that is named is where the last one begins.
    const stored = (Number(line) - 2) / 2 + 1;
    const count = async () => (await done(server, ['export'])).split('\n').length - 1;
    assert.isAbove(stored, 100);
    assert.strictEqual(await count(), stored);
    const skipping = ['import', '--on-error', 'skip', '--batch-size', '1000', file];
    const skipped = await run(server, skipping);
    assert.strictEqual(skipped.code, 4);
    assert.include(skipped.err, `continuing after row ${String(stored)}`);
    assert.include(skipped.err, `${file}:402: "soon" is not a time`);
    assert.match(skipped.out, /^299 samples from 1 input .*, 1 line skipped\n$/);
    assert.strictEqual(await count(), 299);
    assert.isFalse(existsSync(`${file}.seriesdb-resume`));
  });

  it('with very many bad rows are reported with a bounded list', async () => {
    const server = await start();
    const count = 200_000;
    const file = write('worse.csv', `ts,metric,value\n${'x\n'.repeat(count)}1,m,1\n`);
    const { code, out, err } = await run(server, ['import', '--json', '--on-error', 'skip', file]);
    assert.strictEqual(code, 4, err);
    assert.deepInclude(JSON.parse(out), { ingested: 1, rejected: count });
    // On a busy machine the command says that it waits.
    const lines = err.trimEnd().split('\n');
    const told = lines.filter((line) => !line.startsWith('the server does not answer'));
    assert.deepEqual([told.length, told[10]], [11, '199,990 more lines skipped'], err);
  });

  it('whose loaded beginning is now rejected fail with a message', async () => {
    const server = await start();
    const rows = Array.from({ length: 20_000 }, (_, at) => `${String(at)},m,${String(at)}`);
    const text = `ts,metric,value\n${rows.join('\n')}\nsoon,m,1\n`;
    const file = write('begun.csv', text);
    const words = ['import', '--batch-size', '20000', file];
    assert.match((await run(server, words)).err, /nothing after line 1\d{4} was/);
    for (const [before, line] of [
      ['\n0,m,', 2],
      ['\n9999,m,', 10_001],
    ] as const) {
      write('begun.csv', text.replace(before, '\nnever,m,'));
      const { code, err } = await run(server, words);
      assert.strictEqual(code, 1);
      const place = `${file}:${String(line)}`;
      assert.match(err, /it was loaded before and has changed; see --no-resume\n$/);
      assert.include(err, `seriesdb: ${place}: "never" is not a time`);
    }
  });

  it("name each fault of a row, including the server's", async () => {
    const server = await start();
    const faults: readonly (readonly [string, RegExp])[] = [
      ['1,m,1', /3 cells for 4 columns/],
      ['1,m,1,a,b', /5 cells for 4 columns/],
      [',m,1,', /the time is missing/],
      ['1.5,m,1,', /"1.5" is not a time/],
      ['now,m,1,', /"now" is not a time/],
      ['99999999999999999999,m,1,', /ts/],
      ['1,,1,', /the metric is missing/],
      ['1,"",1,', /the metric name is empty/],
      ['1,m,abc,', /the value "abc" is not a finite number/],
      ['1,m,nan,', /the value "nan" is not a finite number/],
      ['1,m,1e999,', /too large for a double/],
      ['1,m,1,"a"b', /text follows a closing quote/],
    ];
    const text = `ts,metric,value,host\n${faults.map(([row]) => `${row}\n`).join('')}5,m,1,x\n`;
    const latin = Buffer.concat([Buffer.from(text), Buffer.from('6,m,1,\xfc\n', 'latin1')]);
    const file = write('faults.csv', latin);
    const { code, out, err } = await run(server, ['import', '--json', '--on-error', 'skip', file]);
    assert.strictEqual(code, 4);
    assert.deepInclude(JSON.parse(out), { ingested: 1, rejected: faults.length + 1 });
    const told = err.split('\n');
    faults.slice(0, 10).forEach(([, reason], at) => {
      assert.match(told[at] ?? '', reason);
      assert.isTrue(told[at]?.startsWith(`${file}:${String(at + 2)}: `), told[at]);
    });
    assert.match(told[10] ?? '', /^3 more lines skipped$/);
    const alone = write('latin.csv', latin.subarray(latin.lastIndexOf('5,m')));
    const named = ['import', '--time-column', '5', '--value-column', '1', '--metric', 'm', alone];
    assert.match((await run(server, named)).err, /:2: it is not UTF-8 .*nothing of .* was stored/);
  });

  it('with ambiguous columns are rejected with a message', async () => {
    const server = await start();
    const refusals: readonly (readonly [string, RegExp, ...string[]])[] = [
      ['', /it has no header line/],
      ['a,value\n', /none of the columns "a", "value" is recognized as time.*--time-column/],
      [
        'ts;metric;value\n',
        /"ts;metric;value" is recognized.*or give the delimiter by --delimiter/,
      ],
      [
        `${'abcdefghijklmnop'.split('').join(',')}\n`,
        /columns "a", .* "j" and 6 more is recognized/,
      ],
      ['ts,value,\n', /column 3 of the header has no name; .* --ignore-column ''/, '--metric', 'm'],
      ['ts,b\n', /there is no column "value" among "ts", "b"; name it by --value-column/],
      ['ts,value\n', /there is no column "metric".*--metric or --metric-column/],
      ['ts,value,a,a\n', /two columns have the name "a"/, '--metric', 'm'],
      ['ts,value,a\n', /the label "a" occurs twice/, '--metric', 'm', '-l', 'a=b'],
      ['ts,value\n', /there is no column "x"/, '--metric', 'm', '--ignore-column', 'x'],
      ['ts,value\n', /column "ts" is given two roles/, '--metric', 'm', '--value-column', 'ts'],
      ['ts,value\n1,"2\n', /line 2 opens a quote that is never closed/, '--metric', 'm'],
    ];
    for (const [text, reason, ...flags] of refusals) {
      const words = ['import', '--format', 'csv', ...flags];
      const { code, err } = await run(server, words, text);
      assert.strictEqual(code, 1, text);
      assert.match(err, reason);
      assert.match(err, /^seriesdb: cannot read standard input: /);
    }
    const line = ['import', '--metric', 'm', write('plain.ndjson', '')];
    assert.match((await run(server, line)).err, /recognized as lines, which have no columns/);
    const floating = path.join(folder, 'floating.parquet');
    await duckdb(`copy (select 1.5::double as ts, 'm' as metric, 1 as value) to '${floating}'`);
    const refused = await run(server, ['import', floating]);
    assert.match(refused.err, /floating.parquet: the times in "ts" are floating-point numbers; /);
    const cut = write('cut.csv.gz', gzipSync('ts,metric,value\n1,m,1\n').subarray(0, 20));
    const { err: told } = await run(server, ['import', cut]);
    assert.match(told, /^seriesdb: cannot read \S+cut.csv.gz: [^/]+\n$/);
    const absent = await run(server, ['import', path.join(folder, 'absent.csv')]);
    assert.match(absent.err, /there is no such file/);
    assert.strictEqual(await done(server, ['export']), '');
  });

  it('of a directory that a server has open are not exported, with the reason', async () => {
    const dataDir = path.join(folder, 'held');
    mkdirSync(dataDir);
    await startServer({ dataDir });
    rmSync(path.join(dataDir, 'SOCKET'));
    const { code, out, err } = await runCli(['export', dataDir, '--format', 'csv']);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /; if that is a server, .* name it by --url; else wait until it ends\n$/);
  });
});
