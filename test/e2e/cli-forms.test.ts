/** `seriesdb ingest` of everyday files: guessed formats, and the stored samples. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import zlib, { gzipSync } from 'node:zlib';

import { DuckDBInstance } from '@duckdb/node-api';
import { assert } from 'chai';

import { lineFields } from '../../src/common/model/ingest-line.js';
import { runAtTerminal, runCli, startCli, type CliResult } from '../support/cli.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';
import { compressedLines } from '../support/zstd.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const benchmark = path.join(root, '../shared/data/nab');

describe('seriesdb ingest of every input format', function () {
  this.timeout(120_000);
  let folder = '';
  let server: Server;
  let env: Record<string, string> = {};

  beforeEach(async () => {
    folder = temporaryDirectory();
    server = await startServer({ dataDir: path.join(folder, 'data') });
    env = { SDB_URL: server.url };
  });
  afterEach(async () => {
    await killServers();
    removeDirectory(folder);
  });

  function write(name: string, content: string | Uint8Array): string {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  const ingest = (...args: string[]): Promise<CliResult> => runCli(['ingest', ...args], { env });

  /** All samples, as `metric{labels} ts value`. */
  async function stored(): Promise<readonly string[]> {
    const { out } = await runCli(['export'], { env });
    const lines = out.split('\n').filter((line) => line !== '');
    return lines.map((line) => {
      const { metric, labels, ts, value } = JSON.parse(line) as Record<string, unknown>;
      return `${String(metric)}${JSON.stringify(labels ?? {})} ${String(ts)} ${String(value)}`;
    });
  }

  it('accepts a table, and prints the guessed role of each column', async () => {
    const file = write('nyc_taxi.csv', 'timestamp,value\n2014-07-01 00:00:00,10844\n');
    const { code, out, err } = await ingest(file);
    assert.deepEqual(
      [code, err],
      [
        0,
        `${file}: CSV, time = timestamp (ISO in UTC; --tz names another zone), value → metric nyc_taxi\n`,
      ],
    );
    assert.match(out, /^1 samples from 1 input/);
    assert.deepEqual(await stored(), ['nyc_taxi{} 1404172800000 10844']);
  });

  it('makes several number columns fields, and the other columns labels', async () => {
    const file = write(
      'plant.tsv',
      'Epoch\tsite\ttemp\tflow\tnote\n1700000000.25\ta\t1.5\t\tx\n1700000001.5\tb\t2\t3\t\n',
    );
    const first = await ingest(file);
    assert.include(
      first.err,
      'CSV, time = Epoch (s), temp, flow → metrics plant.*, labels site, note\n',
    );
    assert.sameMembers(
      [...(await stored())],
      [
        'plant.temp{"site":"a","note":"x"} 1700000000250 1.5',
        'plant.temp{"site":"b"} 1700000001500 2',
        'plant.flow{"site":"b"} 1700000001500 3',
      ].map((line) => line.replace('{"site":"a","note":"x"}', '{"note":"x","site":"a"}')),
    );
    const second = await ingest(file, '--labels', 'site', '--value', 'temp', '--metric', 'heat');
    assert.include(
      second.err,
      'temp → metric heat, labels site, left out flow (not named by --value), note (not named by --labels)\n',
    );
    assert.includeMembers([...(await stored())], ['heat{"site":"b"} 1700000001500 2']);
  });

  it('reads the metric from the --metric column, and times in each unit', async () => {
    for (const [unit, count] of [
      ['s', '1700000000'],
      ['ms', '1700000000000'],
      ['us', '1700000000000000'],
      ['ns', '1700000000000000000'],
    ] as const) {
      const file = write(`${unit}.csv`, `when,what,value,unit\n${count},${unit},1,${unit}\n`);
      const { err } = await ingest(file, '--time', 'when', '--metric', 'what');
      assert.include(err, `time = when (${unit}), value → metric in what, labels unit\n`);
    }
    assert.sameMembers(
      [...(await stored())],
      ['s', 'ms', 'us', 'ns'].map((unit) => `${unit}{"unit":"${unit}"} 1700000000000 1`),
    );
  });

  it('requires one object per line, and says so for an array', async () => {
    const file = write('array', '[{"metric":"a","ts":1,"value":1}]\n');
    const { code, err } = await ingest(file);
    assert.strictEqual(code, 1);
    assert.include(err, `${file}: it is a JSON array; it must have one object per line`);
  });

  it('detects line protocol and Prometheus text, and says so', async () => {
    const lines = write('lines', 'w,c=b t=1.5,value=3 1700000000\nw t=2\nw s="x"\n');
    const first = await ingest(lines, '--at', '1970-01-01T00:00:01Z');
    assert.strictEqual(first.code, 4);
    assert.include(first.err, 'line protocol, times in s; samples without a time get 1970-01-01');
    assert.include(first.err, `${lines}: skipped 1 fields that are not numbers\n`);
    const text = write('page.txt', '# TYPE up gauge\nup{a="b"} 1\nup{a="c"} 0 1700000000000\n');
    const before = Date.now();
    const second = await ingest(text);
    assert.match(second.err, /^.*page\.txt: Prometheus text, samples without a time get 2\S+Z\n$/);
    const [ups, others] = [await stored(), await stored()].map((all, at) =>
      all.filter((line) => line.startsWith('up') === (at === 0)),
    ) as [string[], string[]];
    assert.sameMembers(others, [
      'w{"c":"b"} 1700000000000 3',
      'w.t{"c":"b"} 1700000000000 1.5',
      'w.t{} 1000 2',
    ]);
    assert.include(ups, 'up{"a":"c"} 1700000000000 0');
    const now = /"b"\} (\d+) 1$/m.exec(ups.join('\n'))?.[1];
    assert.isAtLeast(Number(now), before);
    assert.isAtMost(Number(now), Date.now());
  });

  it('accepts the examples of its help, and the help names each field of a line', async () => {
    const help = (await runCli(['help', 'ingest'])).out;
    for (const { name } of lineFields) assert.match(help, new RegExp(`^ {4}${name} +[A-Z]`, 'm'));
    const examples = [...help.matchAll(/^ {2}([a-z]+) .*\n((?: {16}\S.*\n)+)/gm)];
    assert.deepEqual(
      examples.map(([, form]) => form),
      ['ndjson', 'csv', 'influx', 'prometheus'],
    );
    for (const [, form = '', text = ''] of examples) {
      const input = text.replaceAll(/^ {16}/gm, '');
      for (const args of [[], ['--format', form]]) {
        const done = await runCli(['ingest', '--metric', 'shown', ...args], { env, input });
        assert.strictEqual(done.code, 0, `${input}${done.err}`);
      }
    }
    assert.sameMembers(
      [...(await stored())],
      [
        'room.temperature{"room":"b"} 1700000000000 21.5',
        'shown{} 1404172800000 10844',
        'weather.temperature{"city":"bern"} 1700000000000 21.5',
        'weather.humidity{"city":"bern"} 1700000000000 60',
        'http_requests_total{"method":"get"} 1700000000000 1027',
      ],
    );
  });

  it('reads Parquet like CSV, by column names and first rows', async () => {
    const lines = write('cpu.csv', 'time,host,idle,busy\n1700000000,a,0.5,1\n1700000001,b,1,2\n');
    await ingest(lines);
    const exported = path.join(folder, 'all.parquet');
    const before = await stored();
    assert.strictEqual(before.length, 4);
    assert.strictEqual((await runCli(['export', '--output', exported], { env })).code, 0);
    const again = await ingest(exported);
    assert.strictEqual(again.code, 0, again.err);
    const words = 'time = ts_ms (ISO), value → metric in metric, labels host';
    assert.strictEqual(again.err, `${exported}: Parquet, ${words}\n`);
    assert.deepEqual(await stored(), before);
    const connection = await (await DuckDBInstance.create()).connect();
    const other = path.join(folder, 'plant.parquet');
    await connection.run(
      `copy (select timestamp '2024-02-29 12:00:00' + to_seconds(i) as "when", i / 4 as temp,
        'x' || i as place, [i] as parts from range(2) t(i)) to '${other}' (format parquet)`,
    );
    connection.closeSync();
    const taken = await ingest(other, '--labels', 'place');
    assert.include(taken.err, 'time = when (ISO), temp → metric plant.temp, labels place\n');
    assert.includeMembers(
      [...(await stored())],
      ['plant.temp{"place":"x1"} 1709208001000 0.25', 'plant.temp{"place":"x0"} 1709208000000 0'],
    );
  });

  it('names the position of a bad line, and stores nothing or the good lines', async () => {
    const table = write('t.csv', 'time,value\n1,1\n2,"two\nlines"\n3,3\n');
    const stopped = await ingest(table);
    assert.strictEqual(stopped.code, 1);
    assert.include(
      stopped.err,
      `seriesdb: ${table}:3: "two\\u000alines" in column "value" is not a number`,
    );
    const lines = write('l.lp', '# x\n\nw v=1 1\nw v=bad 1\nw v=2 3\n');
    assert.include(
      (await ingest(lines)).err,
      `seriesdb: ${lines}:4: unable to parse 'w v=bad 1': "bad" is not a value (invalid_record)`,
    );
    assert.deepEqual(await stored(), []);
    const skipped = await ingest('--on-error', 'skip', '--precision', 'ms', table, lines);
    assert.strictEqual(skipped.code, 4);
    assert.include(skipped.err, `${lines}:4: `);
    assert.sameMembers([...(await stored())], ['t{} 1 1', 't{} 3 3', 'w.v{} 1 1', 'w.v{} 3 2']);
  });

  it('rejects an unreadable table with a message', async () => {
    for (const [content, args, reason] of [
      ['a,b\n1,2\n', [], /none of the columns "a", "b" is recognized as time; name it by --time/],
      [
        'time,b\n1,x\n',
        [],
        /none of the columns "b" holds numbers; name the value columns by --value/,
      ],
      ['2014-07-01,2\n', [], /its first line should name the columns, but has "2014-07-01"/],
      ['time,b\n1,2\n', ['--value', 'c'], /there is no column "c" among "time", "b"; see --value/],
      ['time,b\n1,2\n', ['--time', 'b', '--value', 'b'], /"b" is given two roles; see --value/],
      ['', [], /it has no header line/],
      ['"time', [], /a quote that is never closed/],
      ['time,value\n1,2\n', ['--format', 'parquet'], /cannot read .*bad\.csv: \S/],
      [
        'up 1\n',
        ['--format', 'prometheus', '--at', 'soon'],
        /--at must be an integer, an ISO time/,
      ],
    ] as const) {
      const { code, err } = await ingest(write('bad.csv', content), ...args);
      assert.match(err, reason, content);
      assert.strictEqual(code, 1);
    }
    const piped = await runCli(['ingest'], { env, input: 'time,value\n1,2\n' });
    assert.include(piped.err, 'cannot read standard input: it has no name; name the metric by');
    assert.deepEqual(await stored(), []);
  });

  it('distinguishes files that yield the same metric', async () => {
    const files = ['a/cpu.csv', 'b/cpu.csv', 'b/mem.csv'].map((name, at) =>
      write(name, `time,value\n${1_700_000_000 + at},${at}\n`),
    );
    const { err } = await ingest(...files);
    assert.include(err, 'value → metric cpu, labels file=a/cpu\n');
    await ingest('--metric', 'm', '--no-file-label', ...files);
    await ingest('--file-label', 'from', files[0] ?? '');
    assert.sameMembers(
      [...(await stored())],
      [
        'cpu{"file":"a/cpu"} 1700000000000 0',
        'cpu{"file":"b/cpu"} 1700000001000 1',
        'mem{} 1700000002000 2',
        ...[0, 1, 2].map((at) => `m{} 170000000${at}000 ${at}`),
        'cpu{"from":"cpu"} 1700000000000 0',
      ],
    );
  });

  it('unpacks gzip and Zstandard under any file name, and rejects truncation', async function () {
    if (spawnSync('zstd', ['--version']).error !== undefined) this.skip();
    const packed = write('lines.csv.gz', gzipSync('time,value\n1700000000,1\n'));
    const real = write('real.ndjson.zst', compressedLines);
    const { code, err, out } = await ingest(packed, real);
    assert.deepEqual([code, /^301 samples/.test(out)], [0, true], err);
    for (const torn of [compressedLines.subarray(0, 300), damaged(compressedLines)]) {
      const failed = await ingest(write('torn.zst', torn), '--format', 'ndjson');
      assert.strictEqual(failed.code, 1);
      assert.match(failed.err, /^seriesdb: cannot read .*torn\.zst: \S.*\n$/);
    }
    const without = await runCli(['ingest', real], { env: { ...env, PATH: '/nowhere' } });
    if (without.code !== 0) assert.include(without.err, 'needs the program zstd, or Node.js 22.15');
  });

  it('shows the beginning of a long message of zstd in whole characters', async function () {
    if ('createZstdDecompress' in zlib) this.skip();
    const words = write('fake/words', `${'x'.repeat(999)}${'😀'.repeat(400)}`);
    chmodSync(write('fake/zstd', `#!/bin/sh\ncat '${words}' >&2\nexit 1\n`), 0o755);
    const file = write('any.ndjson.zst', compressedLines);
    const PATH = `${path.dirname(words)}:${process.env['PATH'] ?? ''}`;
    const { err } = await runCli(['ingest', file], { env: { ...env, PATH } });
    assert.strictEqual(err, `seriesdb: cannot read ${file}: ${'x'.repeat(999)}…\n`);
  });

  it('shows its progress on a terminal, beside its guesses', async () => {
    const rows = Array.from({ length: 50_000 }, (_, at) => `w,n=${at % 10} v=${at} ${at}\n`);
    const file = write('long.lp', rows.join(''));
    const shown = await runAtTerminal(['ingest', '--url', server.url, file]);
    assert.include(shown, 'line protocol, times in ns');
    assert.match(shown, /long\.lp .*\d+% \| [\d,]+ samples/);
    assert.match(shown, /50,000 samples from 1 input/);
  });

  it('resumes after an interruption, with the default time of the first run', async () => {
    const count = 60_000;
    const text = Array.from({ length: count }, (_, at) => `up{n="${at % 100}"} ${at}`);
    const file = write('long.prom', `${text.join('\n')}\n`);
    const load = startCli(['ingest', '--batch-size', '20000', file], { env });
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (!existsSync(`${file}.seriesdb-resume`)) return;
        clearInterval(timer);
        resolve();
      }, 2);
    });
    load.child.kill('SIGINT');
    assert.strictEqual((await load.result).code, 130);
    const { code, err } = await ingest(file);
    assert.strictEqual(code, 0, err);
    assert.match(err, /continuing after row \d+/);
    const all = await stored();
    assert.strictEqual(all.length, 100);
    assert.strictEqual(new Set(all.map((line) => line.split(' ')[1])).size, 1);
  });

  it('loads a directory, and each file becomes its own metric', async function () {
    if (!existsSync(benchmark)) this.skip();
    const { code, err, out } = await ingest('--no-resume', benchmark);
    assert.strictEqual(code, 0, err);
    assert.match(out, /^321,206 samples from 47 inputs/);
    assert.include(err, 'LICENSE.txt: skipped, because its extension is not a known format\n');
    const query = 'select count(value) from nyc_taxi where time >= 0';
    const { out: rows } = await runCli(['query', '--format', 'csv', query], { env });
    assert.match(rows, /\b10320\r\n$/);
    const { out: metrics } = await runCli(['find', 'metrics', '--json'], { env });
    assert.strictEqual(metrics.split('"metric"').length - 1, 47);
  });

  it('follows symbolic links in a directory, and names the dangling ones', async () => {
    const target = write('beside/a.csv', 'time,value\n1700000000,1\n');
    const linked = path.join(folder, 'linked');
    mkdirSync(linked);
    symlinkSync(target, path.join(linked, 'a.csv'));
    symlinkSync('nowhere', path.join(linked, 'b.csv'));
    symlinkSync('c.csv', path.join(linked, 'c.csv'));
    const { code, out, err } = await ingest(linked);
    assert.strictEqual(code, 0, err);
    assert.match(out, /^1 samples from 1 input/);
    for (const name of ['b.csv', 'c.csv']) {
      assert.include(err, `${path.join(linked, name)}: skipped, because the link has no target\n`);
    }
  });

  it('reads lines after a byte order mark, from a file and from a stream', async () => {
    const text = '\ufeff{"metric":"a","ts":1,"value":1}\n';
    const { code, err } = await ingest(write('marked.ndjson', text));
    assert.strictEqual(code, 0, err);
    const piped = await runCli(['ingest'], { env, input: text.replace('"a"', '"b"') });
    assert.strictEqual(piped.code, 0, piped.err);
    assert.lengthOf(await stored(), 2);
  });

  it('reads a named pipe, and leaves no state file beside it', async function () {
    const pipe = path.join(folder, 'pipe.csv');
    if (spawnSync('mkfifo', [pipe]).status !== 0) this.skip();
    const load = startCli(['ingest', pipe], { env });
    await writeFile(pipe, 'time,value\n1700000000,1\n');
    const { code, out, err } = await load.result;
    assert.strictEqual(code, 0, err);
    assert.match(out, /^1 samples from 1 input/);
    assert.isFalse(existsSync(`${pipe}.seriesdb-resume`));
    assert.deepEqual(await stored(), ['pipe{} 1700000000000 1']);
  });

  it('stops on an interrupt while its pipe is idle', async function () {
    const pipe = path.join(folder, 'silent.csv');
    if (spawnSync('mkfifo', [pipe]).status !== 0) this.skip();
    const load = startCli(['ingest', pipe], { env });
    const writer = await open(pipe, 'w');
    await delay(500);
    load.child.kill('SIGINT');
    const late = setTimeout(() => load.child.kill('SIGKILL'), 10_000);
    const { code } = await load.result;
    clearTimeout(late);
    await writer.close();
    assert.strictEqual(code, 130);
  });

  it('skips unrelated files in a directory, and rejects one without input', async () => {
    const file = write('some/a.csv', 'time,value\n1700000000,1\n');
    copyFileSync(file, path.join(folder, 'some', 'notes.md'));
    const { code, out } = await ingest(path.join(folder, 'some'));
    assert.deepEqual([code, /^1 samples from 1 input/.test(out)], [0, true]);
    assert.deepEqual(readdirSync(path.join(folder, 'some')), ['a.csv', 'notes.md']);
    mkdirSync(path.join(folder, 'none'));
    assert.match(
      (await ingest(path.join(folder, 'none'))).err,
      /without a file of a known extension/,
    );
  });
});

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const middle = bytes.length >> 1;
  copy[middle] = (copy[middle] ?? 0) ^ 0x10;
  return copy;
}
