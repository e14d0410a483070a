/** `seriesdb verify` and `inspect` as an operator runs them: on files, and on a running server. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { ask, lastLine, startConfigured } from '../support/admin-server.js';
import { runAtTerminal, runCli, runIntoFile } from '../support/cli.js';
import { Client, maximumTs, minimumTs, type Sample } from '../support/client.js';
import { stateOf } from '../support/directory-state.js';
import { objectFiles, segmentFile } from '../support/segment-files.js';
import {
  killServers,
  startServer,
  temporaryDirectory,
  type Server,
  type ServerOptions,
} from '../support/server.js';

function linesOf(metric: string, from: number, count: number): string {
  return Array.from({ length: count }, (_, at) => {
    const ts = String(from + at);
    return `{"metric":"${metric}","labels":{"h":"${String(at % 3)}"},"ts":${ts},"value":${ts}.5}\n`;
  }).join('');
}

async function post(port: number | null, target: string, body = ''): Promise<string> {
  const answer = await ask(port, target, { method: 'POST', body });
  assert.include([200, 201], answer.status, answer.body);
  return answer.body;
}

const anyPort = ['--admin-listen', '127.0.0.1:0'];

/** Two segments, an annotation, and samples in the log only. */
async function fill(server: Server): Promise<void> {
  await post(server.port, '/api/v1/ingest', linesOf('cpu', 0, 300));
  const note = '{"kind":"deploy","title":"one","start":1,"end":2}';
  await post(server.port, '/api/v1/annotations/write', note);
  await post(server.adminPort, '/__admin/flush');
  await post(server.port, '/api/v1/ingest', linesOf('mem', 1000, 300));
  await post(server.adminPort, '/__admin/flush');
  await post(server.port, '/api/v1/ingest', linesOf('cpu', 5000, 100));
}

async function startFilled(options: Partial<ServerOptions> = {}) {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const args = [
    '--admin-enabled',
    'true',
    ...anyPort,
    '--compaction',
    'false',
    ...(options.args ?? []),
  ];
  const server = await startServer({ ...options, dataDir, args });
  await fill(server);
  return { server, dataDir };
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0x40;
  writeFileSync(file, bytes);
}

interface Finding {
  readonly kind: string;
  readonly file?: string;
  readonly status: string;
  readonly damaged?: number;
  readonly samples?: number;
}

/** The last finding; without it the verdict is unknown. */
function verdict(text: string): Finding {
  const last = findings(text).at(-1);
  assert(last !== undefined);
  return last;
}

function findings(text: string): readonly Finding[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Finding);
}

describe('offline and online maintenance commands', function () {
  this.timeout(180_000);
  afterEach(killServers);

  it('verify finds no damage in a directory after kill -9, and changes nothing', async () => {
    const { server, dataDir } = await startFilled();
    await server.kill();
    const logs = ['MANIFEST', 'CATALOG', 'REFS', 'ROOT', 'LOCK', 'wal/0000000003.wal'];
    for (const name of [...logs, ...objectFiles(dataDir)]) {
      chmodSync(path.join(dataDir, name), 0o444);
    }
    const before = stateOf(dataDir);
    const { code, out, err } = await runCli(['verify', dataDir]);
    assert.strictEqual(code, 0, err);
    assert.match(out, /^FILE +STATUS +BYTES/);
    assert.match(out, new RegExp(`${segmentFile(dataDir, 2)} +ok`));
    assert.match(out, /REFS +ok/);
    assert.match(out, /recovery +ok/);
    assert.match(out, /no damage: \d+ files, \d+ bytes, 700 samples\n$/);
    for (const part of ['manifest', 'segments', 'chunks', 'wal', 'refs']) {
      assert.strictEqual((await runCli(['inspect', dataDir, part])).code, 0);
    }
    assert.deepEqual(stateOf(dataDir), before);
    // The directory is still a valid database.
    await startServer({ dataDir });
  });

  it('verify names the damaged file, its time range and the fault, and exits with 3', async () => {
    const { server, dataDir } = await startFilled();
    await server.stop();
    const [first, second] = [segmentFile(dataDir, 1), segmentFile(dataDir, 2)];
    flip(path.join(dataDir, second), 30);
    const before = stateOf(dataDir);
    const { code, out } = await runCli(['verify', dataDir]);
    assert.strictEqual(code, 3);
    assert.match(out, new RegExp(`${first} +ok`));
    assert.match(out, new RegExp(`${second} +damaged`));
    assert.match(out, new RegExp(`${second} \\(from 100\\d to 129\\d\\): samples from 100\\d to`));
    assert.match(out, new RegExp(`${second} .*: its content does not match the hash in its name`));
    assert.match(out, /damage in 1 places: /);
    const json = await runCli(['verify', dataDir, '--json']);
    assert.strictEqual(json.code, 3);
    const all = findings(json.out);
    assert.deepInclude(verdict(json.out), { kind: 'end', status: 'damaged', damaged: 1 });
    const damaged = all.filter((one) => one.kind === 'file' && one.status === 'damaged');
    assert.deepEqual(
      damaged.map((one) => one.file),
      [second],
    );
    assert.deepEqual(stateOf(dataDir), before);
  });

  it('says where a server would not start, and why', async () => {
    const { server, dataDir } = await startFilled();
    await server.kill();
    const log = path.join(dataDir, 'wal/0000000003.wal');
    flip(log, 30);
    const { code, out } = await runCli(['verify', dataDir]);
    assert.strictEqual(code, 3);
    assert.match(out, /recovery +damaged/);
    assert.match(out, /recovery: .*0000000003\.wal/);
  });

  it('reports a missing folder, and annotations that a running server has lost', async () => {
    const { server, dataDir } = await startFilled();
    const url = `http://127.0.0.1:${String(server.adminPort)}`;
    assert.strictEqual((await runCli(['verify', '--url', url])).code, 0);
    rmSync(path.join(dataDir, 'ANNOTATIONS'));
    const live = await runCli(['verify', '--url', url]);
    assert.strictEqual(live.code, 3, live.err);
    assert.match(live.out, /ANNOTATIONS: it holds 0 annotations of 1/);
    await server.kill();
    rmSync(path.join(dataDir, 'wal'), { recursive: true });
    const { code, out, err } = await runCli(['verify', dataDir]);
    assert.strictEqual(code, 3, err);
    assert.match(out, /\nwal +damaged/);
    assert.match(out, new RegExp(`${segmentFile(dataDir, 1)} +ok`));
  });

  it('inspect works with a damaged ROOT; a damaged MANIFEST makes it exit with 3', async () => {
    const { server, dataDir } = await startFilled();
    await server.kill();
    const root = path.join(dataDir, 'ROOT');
    const whole = readFileSync(root);
    flip(root, 12);
    const rootless = await runCli(['inspect', dataDir]);
    assert.strictEqual(rootless.code, 3, rootless.err);
    assert.match(rootless.out, /^segments +2\n/);
    assert.match(rootless.out, /\nerror +.*ROOT/);
    writeFileSync(root, whole);
    flip(path.join(dataDir, 'MANIFEST'), 40);
    for (const part of ['manifest', 'segments', 'chunks', 'wal']) {
      const { code, out } = await runCli(['inspect', dataDir, part]);
      assert.strictEqual(code, 3);
      assert.match(out, /data\/MANIFEST/);
    }
    assert.strictEqual((await runCli(['inspect', dataDir, 'refs'])).code, 0);
    const env = { SERIESDB_METADATA_READ_MODE: 'legacy' };
    const closed = await runCli(['compact', dataDir], { env });
    assert.strictEqual(closed.code, 1);
    assert.match(closed.err, /data\/MANIFEST/);
    // Opens it by the commit, which rewrites MANIFEST.
    assert.strictEqual((await runCli(['compact', dataDir])).code, 0);
    assert.strictEqual((await runCli(['verify', dataDir])).code, 0);
    rmSync(path.join(dataDir, 'MANIFEST'));
    const missing = await runCli(['inspect', dataDir]);
    assert.strictEqual(missing.code, 3);
    assert.match(missing.out, /MANIFEST is missing/);
    assert.strictEqual((await runCli(['compact', dataDir])).code, 0);
    assert.strictEqual((await runCli(['verify', dataDir])).code, 0);
  });

  it('refuses a directory that a server has open, and works through its address', async () => {
    const toml = '[admin]\ntoken = "sesame"\n';
    const { server, dataDir } = await startConfigured('node', toml);
    const bearer = { authorization: 'Bearer sesame' };
    await post(server.port, '/api/v1/ingest', linesOf('cpu', 0, 300));
    await ask(server.adminPort, '/__admin/flush', { method: 'POST', headers: bearer });
    rmSync(path.join(dataDir, 'SOCKET'));
    for (const words of [
      ['verify', dataDir],
      ['inspect', dataDir],
    ]) {
      const refused = await runCli(words);
      assert.strictEqual(refused.code, 1);
      assert.match(
        refused.err,
        /LOCK is held by process \d+; if that is a server, run this as its/,
      );
    }
    const url = `http://127.0.0.1:${String(server.adminPort)}`;
    const stranger = await runCli(['verify', '--url', url]);
    assert.strictEqual(stranger.code, 1);
    const env = { SDB_ADMIN_TOKEN: 'sesame' };
    const whole = await runCli(['verify', '--url', url], { env });
    assert.strictEqual(whole.code, 0, whole.err);
    assert.match(whole.out, /no damage: \d+ files, \d+ bytes, 300 samples/);
    flip(path.join(dataDir, segmentFile(dataDir, 1)), 40);
    const damaged = await runCli(['verify', '--url', url, '--json'], { env });
    assert.strictEqual(damaged.code, 3);
    assert.isTrue(findings(damaged.out).some((one) => one.status === 'damaged'));
  });

  it('answers the admin listener line by line', async () => {
    const { server } = await startFilled();
    const answer = await ask(server.adminPort, '/__admin/verify', { method: 'POST' });
    assert.strictEqual(answer.headers['content-type'], 'application/x-ndjson');
    assert.strictEqual(findings(answer.body)[0]?.kind, 'plan');
    assert.deepInclude(verdict(answer.body), { kind: 'end', status: 'ok', samples: 700 });
    const wrong = await ask(server.adminPort, '/__admin/verify');
    assert.strictEqual(wrong.status, 405);
  });

  it('inspect prints tables or JSON', async () => {
    const { server, dataDir } = await startFilled();
    await server.kill();
    const shown = await runCli(['inspect', dataDir]);
    assert.match(shown.out, /^timestamp_unit +ms\nsegments +2\nsegment_samples +600\n/);
    const segments = await runCli(['inspect', dataDir, 'segments']);
    assert.match(segments.out, /^SEGMENT +LEVEL +BYTES +SERIES +CHUNKS +SAMPLES/);
    assert.match(segments.out, /\n +2 +flushed +\d+ +3 +3 +300 +1000 +1299/);
    const chunks = await runCli(['inspect', dataDir, 'chunks', '--number', '2', '--json']);
    assert.strictEqual(findings(chunks.out).length, 3);
    const wal = await runCli(['inspect', dataDir, 'wal', '--limit', '2']);
    assert.match(wal.out, /\n0000000003\.wal +\d+ +\d+ +samples +0 +0 +100 +5000 +5099\n$/);
    const refs = await runCli(['inspect', dataDir, 'refs']);
    assert.match(refs.out, /\nheads\/main +[0-9a-f]{64} .* flush .* 2 +600\n$/);
    const unknown = await runCli(['inspect', dataDir, 'socks']);
    assert.deepEqual([unknown.code, unknown.out], [2, '']);
    assert.match(unknown.err, /"socks" is not one of manifest, segments, chunks, wal/);
  });

  it('compacts a directory after kill -9 without losing a sample', async () => {
    const { server, dataDir } = await startFilled();
    const client = new Client(server.port);
    const read = async (from: Client): Promise<readonly Sample[]> => {
      const all = { start: minimumTs, end: maximumTs };
      const parts = ['cpu', 'mem'].flatMap((metric) =>
        ['0', '1', '2'].map((h) => from.rangePost({ metric, labels: { h }, ...all })),
      );
      return (await Promise.all(parts)).flat();
    };
    const before = await read(client);
    assert.lengthOf(before, 700);
    client.close();
    rmSync(path.join(dataDir, 'SOCKET'));
    const busy = await runCli(['compact', dataDir]);
    assert.strictEqual(busy.code, 1);
    assert.match(busy.err, /is held by process \d+/);
    await server.kill();

    const { code, out, err } = await runCli(['compact', dataDir, '--json']);
    assert.strictEqual(code, 0, err);
    assert.deepInclude(lastLine(out), {
      status: 'compacted',
      segments_before: 3,
      segments_after: 1,
    });
    assert.strictEqual((await runCli(['verify', dataDir])).code, 0);
    const again = await startServer({ dataDir, args: ['--admin-enabled', 'true', ...anyPort] });
    const reopened = new Client(again.port);
    assert.deepEqual(await read(reopened), before);
    reopened.close();
    const url = `http://127.0.0.1:${String(again.adminPort)}`;
    const live = await runCli(['compact', '--url', url]);
    assert.strictEqual(live.code, 0, live.err);
    assert.match(live.out, /^status +compacted\nsegments_before +1\nsegments_after +1\n/);
  });

  it('fails without a database, and without a directory argument', async () => {
    const nowhere = path.join(temporaryDirectory(), 'nowhere');
    for (const words of [
      ['verify', nowhere],
      ['inspect', nowhere],
      ['compact', nowhere],
    ]) {
      const { code, err } = await runCli(words);
      assert.strictEqual(code, 1);
      assert.match(err, /there is no database in .*nowhere/);
    }
    assert.isFalse(existsSync(nowhere));
    assert.strictEqual((await runCli(['verify'])).code, 2);
    assert.strictEqual((await runCli(['verify', nowhere, '--url', 'http://x'])).code, 2);
  });

  it('fails when its output cannot be written', async () => {
    const { server, dataDir } = await startFilled();
    await server.kill();
    for (const words of [
      ['verify', dataDir, '--json'],
      ['export', dataDir],
    ]) {
      const { code, err } = runIntoFile(words, '/dev/full');
      assert.strictEqual(code, 1, err);
      assert.include(err, 'the output cannot be written: ENOSPC');
    }
  });

  it('draws a progress bar on a terminal, and none into a file', async () => {
    const { server, dataDir } = await startFilled();
    await server.kill();
    assert.include(await runAtTerminal(['verify', dataDir]), '100% | 700 samples');
    assert.strictEqual((await runCli(['verify', dataDir])).err, '');
  });
});
