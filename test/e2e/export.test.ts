/**
 * `seriesdb export` as a user runs it: importing its output makes an equal database, byte for byte.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { assert } from 'chai';

import { runCli } from '../support/cli.js';
import { maximumTs, minimumTs } from '../support/client.js';
import { programFile } from '../support/program.js';
import { Random, testSeed } from '../support/random.js';
import { randomLines } from '../support/random-lines.js';
import { stateOf } from '../support/directory-state.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

describe('seriesdb export', function () {
  this.timeout(180_000);
  afterEach(killServers);
  const folder = temporaryDirectory();
  const start = (name: string): Promise<Server> =>
    startServer({ dataDir: path.join(folder, name) });

  async function exported(server: Server, ...words: readonly string[]): Promise<string> {
    const { code, out, err } = await runCli(['export', ...words], { env: { SDB_URL: server.url } });
    assert.strictEqual(code, 0, err);
    return out;
  }

  it(`writes what makes an equal database, byte for byte (seed ${String(testSeed)})`, async () => {
    const lines = randomLines(new Random(testSeed), 5_000);
    const first = await start('first');
    const loaded = await runCli(['ingest'], { env: { SDB_URL: first.url }, input: lines });
    assert.strictEqual(loaded.code, 0, loaded.err);
    const text = await exported(first);
    assert.isAbove(text.split('\n').length, 3_000);
    for (const one of ['"value":-0}', '"value":5e-324}', String(minimumTs), String(maximumTs)]) {
      assert.include(text, one);
    }
    const second = await start('second');
    const file = path.join(folder, 'all.ndjson');
    writeFileSync(file, text);
    const again = await runCli(['ingest', file], { env: { SDB_URL: second.url } });
    assert.strictEqual(again.code, 0, again.err);
    assert.strictEqual(await exported(second), text);
    // A second import changes nothing.
    const twice = await runCli(['ingest', '--no-resume', file], { env: { SDB_URL: second.url } });
    assert.strictEqual(twice.code, 0, twice.err);
    assert.strictEqual(await exported(second), text);
    // So does the directory of a killed server, and the export changes no byte of it.
    const directory = path.join(folder, 'third');
    const third = await startServer({ dataDir: directory });
    await runCli(['ingest', '--no-resume', file], { env: { SDB_URL: third.url } });
    const busy = await runCli(['export', directory]);
    // The server that has it open answers the export.
    assert.deepEqual([busy.code, busy.out], [0, text]);
    await third.kill();
    const before = stateOf(directory);
    const offline = await runCli(['export', directory]);
    assert.deepEqual([offline.code, offline.err], [0, '']);
    assert.strictEqual(offline.out, text);
    assert.deepEqual(stateOf(directory), before);
    const metrics = ['find', 'metrics', '--json'];
    const [one, other] = await Promise.all(
      [first, second].map((server) => runCli(metrics, { env: { SDB_URL: server.url } })),
    );
    assert.strictEqual(one?.out, other?.out);
  });

  it('filters by names, labels and times; the first line of a series has metadata', async () => {
    const server = await start('fifth');
    const input =
      '{"metric":"cpu.a","labels":{"h":"x"},"kind":"counter","unit":"s","ts":1,"value":1}\n' +
      '{"metric":"cpu.a","labels":{"h":"x"},"ts":2,"value":2}\n' +
      '{"metric":"cpu.b","labels":{"h":"y"},"ts":1,"value":3}\n' +
      '{"series":"old","tags":{"h":"x"},"ts":7,"value":4}\n';
    await runCli(['ingest'], { env: { SDB_URL: server.url }, input });
    const a =
      '{"kind":"counter","unit":"s","metric":"cpu.a","labels":{"h":"x"},"ts":1,"value":1}\n' +
      '{"metric":"cpu.a","labels":{"h":"x"},"ts":2,"value":2}\n';
    assert.strictEqual(await exported(server, '--prefix', 'cpu.', '-l', 'h=x'), a);
    assert.strictEqual(
      await exported(server, '--start', '3'),
      '{"metric":"old","labels":{"h":"x"},"ts":7,"value":4}\n',
    );
    assert.strictEqual(await exported(server, '--prefix', 'nothing'), '');
    const file = path.join(folder, 'part.ndjson');
    assert.strictEqual(await exported(server, '--prefix', 'cpu.a', '--output', file), '');
    assert.strictEqual(readFileSync(file, 'utf8'), a);
    assert.isFalse(existsSync(`${file}.tmp`));
  });

  it('asks as often for 10,000 series as for one, and writes what the server answers', async () => {
    const server = await start('many');
    const input = Array.from(
      { length: 10_000 },
      (_, at) => `{"metric":"m","labels":{"n":"${String(at)}"},"ts":1,"value":${String(at / 8)}}\n`,
    ).join('');
    const loaded = await runCli(['ingest'], { env: { SDB_URL: server.url }, input });
    assert.strictEqual(loaded.code, 0, loaded.err);
    const requests = async (): Promise<number> => {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      const counts = [...text.matchAll(/^seriesdb_http_requests_total\{[^}]*\} (\d+)$/gm)];
      assert.isAbove(counts.length, 0);
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    for (const format of ['ndjson', 'csv']) {
      const answer = await fetch(`${server.url}/api/v1/export?format=${format}`);
      const expected = await answer.text();
      assert.isAbove(expected.split('\n').length, 10_000);
      const before = await requests();
      assert.strictEqual(await exported(server, '--format', format), expected);
      assert.isBelow((await requests()) - before, 10);
    }
  });

  it('fails without a server, and without permission to write', async () => {
    const nobody = await runCli(['export', '--url', 'http://127.0.0.1:1']);
    assert.strictEqual(nobody.code, 1);
    const server = await start('fourth');
    const file = path.join(folder, 'no', 'such', 'folder');
    const refused = await runCli(['export', '--url', server.url, '--output', file]);
    assert.strictEqual(refused.code, 1);
    assert.match(refused.err, /cannot write .*folder/);
  });

  describe('to an existing path', () => {
    const line = '{"metric":"m","ts":1,"value":1}\n';
    const lines = '{"metric":"m","labels":{},"ts":1,"value":1}\n';
    let server: Server;
    let count = 0;
    beforeEach(async () => {
      server = await start(`taken-${String((count += 1))}`);
      await runCli(['ingest'], { env: { SDB_URL: server.url }, input: line });
    });
    const into = (file: string): ReturnType<typeof runCli> =>
      runCli(['export', '--output', file], { env: { SDB_URL: server.url } });
    const inFolder = (): string => {
      const inner = path.join(folder, `into-${String((count += 1))}`);
      mkdirSync(inner);
      return inner;
    };

    it('writes into a pipe and a device, and leaves them what they are', async () => {
      const pipe = path.join(inFolder(), 'pipe');
      execFileSync('mkfifo', [pipe]);
      const [text, { code }] = await Promise.all([readFile(pipe, 'utf8'), into(pipe)]);
      assert.deepEqual([code, text], [0, lines]);
      assert.isTrue(lstatSync(pipe).isFIFO());
      const full = path.join(path.dirname(pipe), 'full');
      symlinkSync('/dev/full', full);
      const refused = await into(full);
      assert.deepEqual(
        [refused.code, refused.err],
        [1, `seriesdb: cannot write ${full}: no space is left\n`],
      );
      assert.deepEqual(readdirSync(path.dirname(pipe)), ['full', 'pipe']);
      assert.isTrue(lstatSync('/dev/full').isCharacterDevice());
    });

    it('follows links, keeps the file mode, and touches no other file', async () => {
      const inner = inFolder();
      const file = path.join(inner, 'file');
      writeFileSync(file, 'before', { mode: 0o640 });
      writeFileSync(`${file}.tmp`, 'of somebody else');
      symlinkSync('file', path.join(inner, 'link'));
      symlinkSync('later', path.join(inner, 'ahead'));
      for (const name of ['link', 'ahead']) {
        const { code, err } = await into(path.join(inner, name));
        assert.strictEqual(code, 0, err);
        assert.isTrue(lstatSync(path.join(inner, name)).isSymbolicLink());
      }
      assert.strictEqual(readFileSync(file, 'utf8'), lines);
      assert.strictEqual(lstatSync(file).mode & 0o777, 0o640);
      assert.strictEqual(readFileSync(path.join(inner, 'later'), 'utf8'), lines);
      assert.strictEqual(readFileSync(`${file}.tmp`, 'utf8'), 'of somebody else');
      assert.deepEqual(readdirSync(inner), ['ahead', 'file', 'file.tmp', 'later', 'link']);
    });

    it('refuses to write uncompressed output to a name with a compressed extension', async () => {
      const file = path.join(inFolder(), 'all.csv.gz');
      const { code, err } = await into(file);
      assert.deepEqual(
        [code, err],
        [2, `seriesdb: ${file} would not be compressed; leave out the ".gz"\n`],
      );
      assert.isFalse(existsSync(file));
    });

    it('refuses a directory, and fails with a message if the file cannot grow', async () => {
      const inner = inFolder();
      const taken = await into(inner);
      assert.deepEqual(
        [taken.code, taken.err],
        [1, `seriesdb: cannot write ${inner}: it is a directory\n`],
      );
      const input = line.repeat(500).replaceAll('"ts":1', () => `"ts":${String((count += 1))}`);
      await runCli(['ingest'], { env: { SDB_URL: server.url }, input });
      const file = path.join(inner, 'file');
      writeFileSync(file, 'before');
      const words = [
        process.execPath,
        programFile,
        'export',
        '--url',
        server.url,
        '--output',
        file,
      ];
      const limited = ['-c', 'ulimit -f 1; exec "$@"', 'sh', ...words];
      const { status, stderr } = spawnSync('sh', limited, { encoding: 'utf8' });
      assert.deepEqual(
        [status, stderr],
        [1, `seriesdb: cannot write ${file}: it would exceed the largest file size\n`],
      );
      assert.strictEqual(readFileSync(file, 'utf8'), 'before');
      assert.deepEqual(readdirSync(inner), ['file']);
    });
  });
});
