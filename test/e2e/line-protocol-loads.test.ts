/** `seriesdb ingest` of line protocol, which the server or the addon reads. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { assert } from 'chai';

import { runCli, startCli, type CliResult } from '../support/cli.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

describe('seriesdb ingest of line protocol', function () {
  this.timeout(120_000);
  let folder = '';
  let env: Record<string, string> = {};

  beforeEach(async () => {
    folder = temporaryDirectory();
    const server = await startServer({
      dataDir: path.join(folder, 'data'),
      args: ['--influx-separator', '_'],
    });
    env = { SDB_URL: server.url };
  });
  afterEach(async () => {
    await killServers();
    removeDirectory(folder);
  });

  function write(name: string, content: string | Uint8Array): string {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  }

  const ingest = (...args: string[]): Promise<CliResult> => runCli(['ingest', ...args], { env });

  /** Kills a load once its state file is there. */
  async function killedWithin(args: readonly string[], state: string): Promise<void> {
    const load = startCli(['ingest', ...args], { env });
    while (!existsSync(state)) await pause(2);
    load.child.kill('SIGKILL');
    await load.result;
  }

  /** All samples, as `metric{labels} ts value`, sorted. */
  async function stored(...place: string[]): Promise<readonly string[]> {
    const { out } = await runCli(['export', ...place], { env });
    const lines = out.split('\n').filter((line) => line !== '');
    return lines
      .map((line) => {
        const { metric, labels, ts, value } = JSON.parse(line) as Record<string, unknown>;
        return `${String(metric)}${JSON.stringify(labels ?? {})} ${String(ts)} ${String(value)}`;
      })
      .sort();
  }

  it('names metrics with a dot, whatever influx_separator is', async () => {
    const file = write('w.lp', 'w,city=bern,gone= t=21.5,on=T,value=3i 1700000000123456789\n');
    assert.strictEqual((await ingest(file)).code, 0);
    assert.deepEqual(await stored(), [
      'w.on{"city":"bern"} 1700000000123 1',
      'w.t{"city":"bern"} 1700000000123 21.5',
      'w{"city":"bern"} 1700000000123 3',
    ]);
  });

  it('gives samples without a time exactly --at, whatever --precision is', async () => {
    const file = write('w.lp', 'w a=1\nw b=2 17\nw c=3\n');
    const at = ['--precision', 's', '--at', '2026-01-01T00:00:00.123Z'];
    assert.strictEqual((await ingest(...at, file)).code, 0);
    assert.deepEqual(await stored(), [
      'w.a{} 1767225600123 1',
      'w.b{} 17000 2',
      'w.c{} 1767225600123 3',
    ]);
  });

  it('names bad lines by their place in the file, across bodies and texts of several lines', async () => {
    const good = Array.from({ length: 200 }, (_, at) => `w t="two\nlines",v=${at} ${at}\n`).join(
      '',
    );
    const file = write('w.lp', `${good}w v=bad 1\n${good}w v="open\n${good}w v=worse 1\n`);
    const args = ['--precision', 'ms', '--batch-size', '1KiB'];
    const stopped = await ingest(...args, file);
    assert.strictEqual(stopped.code, 1);
    assert.include(stopped.err, `${file}:401: unable to parse 'w v=bad 1': "bad" is not a value`);
    assert.match(stopped.err, /; \d+ samples were stored before; nothing after line \d+ was/);
    const skipped = await ingest(...args, '--on-error', 'skip', '--no-resume', file);
    assert.strictEqual(skipped.code, 4, skipped.err);
    assert.include(skipped.err, `${file}:401: unable to parse`);
    const never = 'it opens a quote that is never closed (invalid_record); skipped\n';
    assert.include(skipped.err, `${file}:802: ${never}`);
    assert.include(skipped.err, `${file}:1203: unable to parse 'w v=worse 1'`);
    assert.include(skipped.err, `${file}: skipped 600 fields that are not numbers\n`);
    assert.match(skipped.out, /^600 samples from 1 input in .* s, 3 lines skipped\n$/);
    assert.lengthOf(await stored(), 200);
  });

  it('prints ten complaints, and counts the rest', async () => {
    const file = write('w.lp', `${'w v=bad 1\n'.repeat(25)}w v=1 1\n`);
    const { code, err } = await ingest('--on-error', 'skip', file);
    assert.strictEqual(code, 4);
    assert.lengthOf(err.match(/w\.lp:\d+: /g) ?? [], 10);
    assert.include(err, '15 more lines skipped\n');
  });

  it('stops at a quote that is never closed, with nothing of its request stored', async () => {
    const file = write('w.lp', 'w v=1 1\nw v="open\nw v=2 2\n');
    const { code, err } = await ingest(file);
    assert.strictEqual(code, 1);
    assert.include(
      err,
      `${file}:2: it opens a quote that is never closed (invalid_record); nothing`,
    );
    assert.deepEqual(await stored(), []);
  });

  it('stores the same into a directory as into a server', async () => {
    const text = Array.from({ length: 3000 }, (_, at) =>
      at % 100 === 0
        ? `w,h=${at % 7} s="a\nb",v=${at} ${at}`
        : `w,h=${at % 7} v=${at},u=${at}u ${at}`,
    );
    const file = write('w.lp', `${text.join('\n')}\nbad\nw,h=x v=1`);
    const options = ['--precision', 'ms', '--on-error', 'skip', '--at', '1970-01-01T00:01:00Z'];
    const args = [...options, '--no-resume', '--batch-size', '4KiB', file];
    const sent = await ingest(...args);
    const all = await stored();
    const dataDir = path.join(folder, 'other');
    const other = await startServer({ dataDir });
    await other.kill();
    const loaded = await runCli(['ingest', '--into', dataDir, ...args]);
    assert.deepEqual([loaded.code, loaded.err], [4, sent.err]);
    assert.include(loaded.err, `${file}:3031: unable to parse 'bad'`);
    assert.lengthOf(all, 3000 + 2970 + 1);
    assert.deepEqual(await stored(dataDir), all);
  });

  it('resumes after kill -9 within the file, and counts left out fields of both runs', async () => {
    const count = 40_000;
    const text = Array.from({ length: count }, (_, at) => `w s="a\nb",v=${at} ${at}\n`).join('');
    const file = write('w.lp', text);
    const state = `${file}.seriesdb-resume`;
    const args = ['--precision', 'ms', '--batch-size', '16KiB', file];
    await killedWithin(args, state);
    const { inputs } = JSON.parse(readFileSync(state, 'utf8')) as {
      readonly inputs: Readonly<Record<string, { readonly line: number }>>;
    };
    const { code, out, err } = await ingest(...args);
    assert.strictEqual(code, 4);
    assert.include(err, `continuing after line ${String(inputs[file]?.line)}\n`);
    assert.include(err, 'skipped 40,000 fields that are not numbers\n');
    assert.match(out, /^40,000 samples/);
    assert.lengthOf(await stored(), count);
  });

  it('resumes after kill -9 although a line near the start opens a quote for ever', async () => {
    const count = 40_000;
    const lines = Array.from({ length: count }, (_, at) => `w v=${at}\n`).join('');
    const file = write('w.lp', `m f="abc\n${lines}`);
    const state = `${file}.seriesdb-resume`;
    const args = ['--on-error', 'skip', '--batch-size', '4KiB', file];
    await killedWithin(args, state);
    const { code, err } = await ingest(...args);
    assert.strictEqual(code, 4);
    assert.match(err, /continuing after line \d+\n/);
    // Without their own times, all lines have that of the first start.
    assert.lengthOf(await stored(), 1);
  });

  it('splits a body that is too large for the server between its lines', async () => {
    const small = await startServer({
      dataDir: path.join(folder, 'small'),
      args: ['--max-body-bytes', '1048576'],
    });
    const text = Array.from({ length: 30_000 }, (_, at) => `w s="a\n\n\nb",v=${at} ${at}\n`).join(
      '',
    );
    const { code, err } = await runCli(['ingest', '--url', small.url, '--precision', 'ms', '-'], {
      input: text.repeat(2),
    });
    assert.strictEqual(code, 4, err);
    assert.include(err, 'skipped 60,000 fields that are not numbers\n');
    assert.lengthOf(await stored('--url', small.url), 30_000);
  });

  it('previews the first rows without a server', async () => {
    const input = 'w,c=b t=1.5,value=3 1700000000\nbad\nw s="a\nb",u=2\n'.repeat(4);
    const { code, out } = await runCli(['ingest', '--dry-run', '--at', '1970-01-01T00:00:01Z'], {
      env: { SDB_URL: 'http://127.0.0.1:1' },
      input,
    });
    assert.strictEqual(code, 0);
    const rows = out.split('\n').filter((line) => line.includes('Z '));
    assert.deepEqual(
      rows.slice(0, 2).map((row) => row.trim()),
      [
        '2023-11-14T22:13:20.000Z  {c="b"}  w.t=1.5 w=3',
        '1970-01-01T00:00:01.000Z  {}       w.u=2',
      ],
    );
    assert.lengthOf(rows, 5);
  });
});

describe('POST /api/v1/ingest with format=influx', () => {
  after(killServers);

  it('counts left out fields, and at needs the format', async () => {
    const server = await startServer({ dataDir: path.join(temporaryDirectory(), 'data') });
    const post = async (query: string, body: string): Promise<unknown> => {
      const answer = await fetch(`${server.url}/api/v1/ingest${query}`, { method: 'POST', body });
      return answer.json();
    };
    assert.deepEqual(await post('?format=influx&at=5', 'm s="x",v=1,u="y"\nm v=2 7\n'), {
      ...{ ingested: 2, skipped: 2 },
    });
    const partly = '?format=influx&on_error=skip&precision=ms';
    assert.deepEqual(await post(partly, 'm s="two\nlines"\nbad\nm v=1 1\n'), {
      ...{ ingested: 1, rejected: 1, skipped: 1 },
      errors: [
        {
          ...{ line: 3, code: 'invalid_record' },
          error: "line 3: unable to parse 'bad': fields are missing",
        },
      ],
    });
    const refused = await post('?at=5', '{"metric":"m","value":1}\n');
    assert.propertyVal(refused as object, 'code', 'invalid_at');
  });
});
