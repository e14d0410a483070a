/** `seriesdb ingest` as a user runs it: files, streams, bad lines, interruptions, restarts. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { assert } from 'chai';

import { runCli, startCli, type RunningCli } from '../support/cli.js';
import { Client, maximumTs, minimumTs } from '../support/client.js';
import { startScriptedServer, refusal } from '../support/scripted-server.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

function linesOf(metric: string, count: number): string {
  const lines = Array.from(
    { length: count },
    (_, at) =>
      `{"metric":"${metric}","labels":{"host":"a"},"ts":${String(at)},"value":${String(at / 4)}}\n`,
  );
  return lines.join('');
}

/** Waits until a load meets the condition; fails if the load ends before. */
async function until(isTrue: () => boolean, load: RunningCli): Promise<void> {
  let ended = '';
  void load.result.then(({ out, err }) => (ended = `the load ended: ${out}${err}`));
  while (!isTrue()) {
    if (ended !== '') throw new Error(ended);
    await pause(2);
  }
}

describe('seriesdb ingest', function () {
  this.timeout(180_000);
  let folder = '';
  let server: Server;
  let client: Client;
  let env: Record<string, string> = {};

  beforeEach(async () => {
    folder = temporaryDirectory();
    server = await startServer({ dataDir: path.join(folder, 'data') });
    client = new Client(server.port);
    env = { SDB_URL: server.url };
  });
  afterEach(async () => {
    client.close();
    await killServers();
    removeDirectory(folder);
  });

  function write(name: string, content: string | Uint8Array): string {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  }

  async function stored(metric: string): Promise<number> {
    const labels = { host: 'a' };
    const samples = await client.rangeGet({ metric, labels, start: minimumTs, end: maximumTs });
    samples.forEach(({ ts, value }, at) => {
      assert.isTrue(ts === BigInt(at) && value === at / 4);
    });
    return samples.length;
  }

  it('loads files, compressed files and the standard input', async () => {
    const plain = write('plain.ndjson', linesOf('plain', 1000));
    const packed = write('packed.gz', gzipSync(linesOf('packed', 1000).trimEnd()));
    const files = await runCli(['ingest', plain, packed], { env });
    assert.deepEqual([files.code, files.err], [0, '']);
    assert.match(files.out, /^2,000 samples from 2 inputs in [\d.]+ s\n$/);
    const piped = await runCli(['ingest', '--json'], { env, input: linesOf('piped', 1000) });
    assert.deepInclude(JSON.parse(piped.out), { ingested: 1000, rejected: 0, inputs: 1 });
    const gz = gzipSync(linesOf('pipedgz', 1000));
    assert.strictEqual((await runCli(['ingest', '-'], { env, input: gz })).code, 0);
    for (const metric of ['plain', 'packed', 'piped', 'pipedgz']) {
      assert.strictEqual(await stored(metric), 1000, metric);
    }
    assert.isFalse(existsSync(`${plain}.seriesdb-resume`));
    const member = gzipSync(linesOf('members', 1000));
    const members = write('members.gz', Buffer.concat([member, member]));
    assert.match((await runCli(['ingest', members], { env })).out, /^2,000 samples /);
    const padded = write('padded.gz', Buffer.concat([member, Buffer.of(0), member]));
    const unread = await runCli(['ingest', padded], { env });
    assert.strictEqual(unread.code, 1, unread.out);
    assert.match(unread.err, /cannot read .*padded\.gz: the gzip data has bytes after its end/);
    const bad = await runCli(['ingest'], { env, input: 'no JSON\n' });
    assert.match(
      bad.err,
      /^seriesdb: standard input:1: .*; nothing of standard input was stored; --on-error .*\n$/,
    );
    const skipped = await runCli(['ingest', '--on-error', 'skip'], { env, input: 'no JSON\n' });
    assert.match(skipped.err, /^standard input:1: .*; skipped\n$/);
    const empty = await runCli(['ingest'], { env, input: '' });
    assert.match(empty.out, /^0 samples from 1 input/);
  });

  it('names the bad line of the file and stops, or skips it and says so', async () => {
    const lines = linesOf('bad', 500).trimEnd().split('\n');
    lines[320] = '{"metric":"bad","ts":"soon","value":1}';
    const file = write('bad.ndjson', lines.join('\n'));
    const stopped = await runCli(['ingest', '--batch-size', '2000', file], { env });
    assert.strictEqual(stopped.code, 1);
    assert.include(stopped.err, `seriesdb: ${file}:321: `);
    assert.include(stopped.err, '(invalid_record)');
    const [, before] = /nothing after line (\d+) was/.exec(stopped.err) ?? [];
    assert.strictEqual(await stored('bad'), Number(before));
    // The stopped load's state is kept; after a repair the load continues.
    lines[320] = '{"metric":"bad","labels":{"host":"a"},"ts":320,"value":80}';
    write('bad.ndjson', lines.join('\n'));
    const repaired = await runCli(['ingest', '--batch-size', '2000', file], { env });
    assert.strictEqual(repaired.code, 0, repaired.err);
    assert.include(repaired.err, `continuing after line ${String(before)}`);
    assert.match(repaired.out, /^500 samples/);
    assert.strictEqual(await stored('bad'), 500);
  });

  it('with --on-error skip, prints the numbers of bad lines and exits with 4', async () => {
    const lines = linesOf('skip', 500).trimEnd().split('\n');
    for (let at = 0; at < 40; at += 1) lines.splice(at * 3, 0, 'no JSON');
    const file = write('skip.ndjson', lines.join('\n'));
    const skipped = await runCli(['ingest', '--on-error', 'skip', file], { env });
    assert.strictEqual(skipped.code, 4);
    assert.match(skipped.out, /^500 samples .* 40 lines skipped\n$/);
    assert.include(skipped.err, `${file}:1: `);
    assert.include(skipped.err, `${file}:28: `);
    assert.include(skipped.err, '30 more lines skipped');
    assert.strictEqual(await stored('skip'), 500);
  });

  it('resumes after kill -9 at the last acknowledged batch, and sends nothing twice', async () => {
    const count = 200_000;
    const file = write('long.ndjson', linesOf('long', count));
    const state = `${file}.seriesdb-resume`;
    const args = ['ingest', '--batch-size', '20000', file];
    let runs = 0;
    for (let wantedRuns = 2; runs < wantedRuns; runs += 1) {
      const before = existsSync(state) ? readFileSync(state, 'utf8') : '';
      const load = startCli(args, { env });
      await until(() => existsSync(state) && readFileSync(state, 'utf8') !== before, load);
      load.child.kill('SIGKILL');
      assert.strictEqual((await load.result).code, null);
    }
    const acknowledged = JSON.parse(readFileSync(state, 'utf8')) as {
      readonly inputs: Readonly<Record<string, { readonly line: number }>>;
    };
    const { line } = acknowledged.inputs[file] ?? { line: 0 };
    assert.isAbove(line, 0);
    assert.isAtLeast(await stored('long'), line);
    const last = await runCli(args, { env });
    assert.strictEqual(last.code, 0, last.err);
    assert.include(last.err, `continuing after line ${String(line)}`);
    assert.match(last.out, /^200,000 samples/);
    assert.strictEqual(await stored('long'), count);
    assert.isFalse(existsSync(state));
  });

  it('resumes a compressed file and a stream from a state file', async () => {
    const text = linesOf('packed', 60_000);
    const file = write('packed.gz', gzipSync(text));
    const state = path.join(folder, 'state.json');
    for (const [input, last] of [
      [undefined, [file]],
      [text, ['-']],
    ] as const) {
      const args = ['ingest', '--batch-size', '50000', '--resume', state, ...last];
      const load = startCli(args, { env });
      if (input !== undefined) load.child.stdin?.write(input);
      await until(() => existsSync(state), load);
      load.child.kill('SIGINT');
      const ended = await load.result;
      assert.strictEqual(ended.code, 130, ended.err);
      assert.match(ended.err, /interrupted; \d+ samples were acknowledged; run the same command/);
      const again = await runCli(args, { env, ...(input === undefined ? {} : { input }) });
      assert.strictEqual(again.code, 0, again.err);
      assert.include(again.err, 'continuing after line');
      assert.strictEqual(await stored('packed'), 60_000);
      assert.isFalse(existsSync(state));
    }
  });

  it('starts over for a changed file, and rejects an invalid state file', async () => {
    const file = write('swap.ndjson', linesOf('swap', 1000));
    const state = `${file}.seriesdb-resume`;
    const load = startCli(['ingest', '--batch-size', '1000', file], { env });
    await until(() => existsSync(state), load);
    load.child.kill('SIGKILL');
    await load.result;
    write('swap.ndjson', linesOf('other', 2000));
    const other = await runCli(['ingest', file], { env });
    assert.strictEqual(other.code, 0, other.err);
    assert.include(other.err, 'has changed; starting from its beginning');
    assert.strictEqual(await stored('other'), 2000);
    write('swap.ndjson.seriesdb-resume', '{"version":1}');
    const refused = await runCli(['ingest', file], { env });
    assert.strictEqual(refused.code, 1);
    assert.include(refused.err, 'is not a load state');
    assert.strictEqual((await runCli(['ingest', '--no-resume', file], { env })).code, 0);
  });

  for (const kind of ['file', 'stream'] as const) {
    it(`stamps another ${kind} of the same name with the current time`, async () => {
      const lines = (name: string): string =>
        Array.from({ length: 60_000 }, (_, at) => `${name}{n="${at % 10}"} ${at}\n`).join('');
      const file = path.join(folder, 'swap.prom');
      const state = path.join(folder, 'swap.json');
      const input = kind === 'file' ? file : '-';
      const args = ['ingest', '--batch-size', '20000', '--resume', state, input];
      writeFileSync(file, lines('before'));
      const load = startCli(args, { env });
      load.child.stdin?.write(lines('before'));
      await until(() => existsSync(state), load);
      load.child.kill('SIGKILL');
      await load.result;
      const old = readFileSync(state, 'utf8').replace(/"begunMs": ?\d+/, '"begunMs":1000');
      assert.include(old, '"begunMs":1000');
      writeFileSync(state, old);
      const other = `after_${kind}`;
      writeFileSync(file, lines(other));
      const { code, out, err } = await runCli(args, { env, input: lines(other) });
      assert.strictEqual(code, 0, err);
      assert.match(out, /^60,000 samples/);
      assert.include(err, 'has changed; starting from its beginning');
      const exported = (await runCli(['export'], { env })).out;
      const rows = exported.split('\n').filter((line) => line.includes(`"${other}"`));
      assert.lengthOf(rows, 10);
      assert.isTrue(rows.every((line) => !line.includes('"ts":1000,')));
      // The last value of each series is there, so nothing of the stream was lost.
      const values = rows.map((row) => Number(/"value":(\d+)/.exec(row)?.[1]));
      assert.sameMembers(
        values,
        Array.from({ length: 10 }, (_, at) => 59_990 + at),
      );
    });
  }

  it('stops at once on an interrupt while its input is idle', async () => {
    for (const [words, signal] of [
      [['ingest'], 'SIGINT'],
      [['import', '--format', 'csv'], 'SIGTERM'],
    ] as const) {
      const state = path.join(folder, 'idle.json');
      const load = startCli([...words, '--batch-size', '1000', '--resume', state], { env });
      const rows = Array.from({ length: 20_000 }, (_, at) => `${String(at)},idle,1\n`).join('');
      load.child.stdin?.write(
        words[0] === 'ingest' ? linesOf('idle', 1_000) : `ts,metric,value\n${rows}`,
      );
      await until(() => existsSync(state), load);
      load.child.kill(signal);
      const ended = await load.result;
      assert.strictEqual(ended.code, 130, ended.err);
      assert.match(ended.err, /interrupted; \d+ samples were acknowledged; run the same/);
      rmSync(state);
    }
  });

  it('waits for a server that restarts, and loses nothing', async () => {
    const count = 150_000;
    const file = write('restart.ndjson', linesOf('restart', count));
    // A port that the system chose cannot be bound again at once; a requested port can.
    await server.stop();
    const args = ['--listen', `127.0.0.1:${String(server.port)}`];
    const again = { dataDir: path.join(folder, 'data'), args };
    server = await startServer(again);
    const load = startCli(['ingest', '--batch-size', '20000', file], { env });
    await until(() => existsSync(`${file}.seriesdb-resume`), load);
    await server.kill();
    await pause(300);
    server = await startServer(again);
    const ended = await load.result;
    assert.strictEqual(ended.code, 0, ended.err);
    assert.include(ended.err, 'the server does not answer; waiting up to 60 s');
    client.close();
    client = new Client(server.port);
    assert.strictEqual(await stored('restart'), count);
  });

  it('gives up when the server stays away too long, and can resume later', async () => {
    const file = write('away.ndjson', linesOf('away', 100_000));
    const args = ['ingest', '--batch-size', '10000', '--wait', '300ms', file];
    const load = startCli(args, { env });
    await until(() => existsSync(`${file}.seriesdb-resume`), load);
    await server.kill();
    const ended = await load.result;
    assert.strictEqual(ended.code, 1);
    assert.include(ended.err, 'did not recover within 0.3 s');
    assert.isTrue(existsSync(`${file}.seriesdb-resume`));
  });

  it('fails at once if the server or a file is missing', async () => {
    const file = write('a.ndjson', linesOf('a', 1));
    await server.kill();
    const away = await runCli(['ingest', file], { env });
    assert.strictEqual(away.code, 1);
    assert.match(
      away.err,
      /^seriesdb: no server answers at http.*start one with: seriesdb serve\n$/,
    );
    const absent = await runCli(['ingest', path.join(folder, 'absent')], { env });
    assert.deepEqual([absent.code, absent.out], [1, '']);
    assert.match(absent.err, /cannot read .*absent: there is no such file\n$/);
    mkdirSync(path.join(folder, 'sub'));
    assert.match(
      (await runCli(['ingest', path.join(folder, 'sub')], { env })).err,
      /is a directory/,
    );
    const torn = write('torn.gz', gzipSync(linesOf('torn', 1000)).subarray(0, 500));
    assert.match((await runCli(['ingest', torn], { env })).err, /cannot read .*torn\.gz/);
  });

  it('splits a batch that is too large for the server, and waits out backpressure', async () => {
    const scripted = await startScriptedServer([
      refusal('payload_too_large', 413),
      refusal('ingest_backpressure', 503),
      { body: '{"ingested":1}' },
      refusal('invalid_record', 400, 'line 2: bad'),
    ]);
    const input = 'aaaa\nbbbb\ncccc\ndddd\n';
    const ended = await runCli(['ingest', '--url', scripted.url], { input });
    scripted.close();
    assert.deepEqual(
      scripted.asked.map(({ body }) => body),
      [input, 'aaaa\nbbbb\n', 'aaaa\nbbbb\n', 'cccc\ndddd\n'],
    );
    assert.include(ended.err, 'the server is busy (ingest_backpressure)');
    assert.include(ended.err, 'standard input:4: bad (invalid_record)');
    assert.strictEqual(ended.code, 1);
  });
});
