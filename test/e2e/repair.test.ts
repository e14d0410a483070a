/** Handmade damage to a database's files, and the result of `seriesdb repair`. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { ask } from '../support/admin-server.js';
import { runAtTerminal, runCli } from '../support/cli.js';
import { Client } from '../support/client.js';
import { copyDirectory } from '../support/directory-state.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const withAdmin = ['--admin-enabled', 'true', '--admin-listen', '127.0.0.1:0'];
const adminUrl = (server: Server): string => `http://127.0.0.1:${String(server.adminPort)}`;

function lines(metric: string, from: number, count: number): string {
  const one = (i: number): string => JSON.stringify({ metric, ts: i, value: i / 8 });
  return `${Array.from({ length: count }, (_, i) => one(from + i)).join('\n')}\n`;
}

/** Two segments, and records of the log. */
async function filled(directory: string): Promise<void> {
  const server = await startServer({ dataDir: directory, args: withAdmin });
  for (const [metric, from] of [
    ['old', 0],
    ['young', 10_000],
  ] as const) {
    await new Client(server.port).ingest(lines(metric, from, 1000));
    const flushed = await ask(server.adminPort, '/__admin/flush', { method: 'POST' });
    assert.strictEqual(flushed.status, 200, flushed.body);
  }
  for (let i = 0; i < 5; ++i) await new Client(server.port).ingest(lines('logged', i, 1));
  await server.kill();
}

function filesIn(directory: string, ending = ''): string[] {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = names
    .filter((one) => one.isFile())
    .map((one) => path.join(one.parentPath, one.name));
  return paths.filter((one) => one.endsWith(ending)).sort();
}

function contentOf(directory: string): string {
  const told = (file: string): string => `${file} ${readFileSync(file).toString('hex')}`;
  const all = filesIn(directory).filter((file) => path.basename(file) !== 'LOCK');
  return all.map(told).join('\n');
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  rmSync(file);
  writeFileSync(file, bytes);
}

async function exported(directory: string): Promise<string> {
  const { code, out, err } = await runCli(['export', directory]);
  assert.strictEqual(code, 0, err);
  return out.split('\n').sort().join('\n');
}

/** The hashes of the segments of the last state. */
async function hashesOf(directory: string): Promise<readonly string[]> {
  const { code, out, err } = await runCli(['inspect', directory, 'segments', '--json']);
  assert.strictEqual(code, 0, err);
  const segments = out.trimEnd().split('\n');
  return segments.map((line) => (JSON.parse(line) as { readonly hash: string }).hash);
}

async function count(server: Server, metric: string): Promise<string> {
  const query = `select count(*) from ${metric} where time >= 0`;
  const flags = ['--format', 'csv', '--url', server.url];
  const { code, out, err } = await runCli(['query', query, ...flags]);
  return code === 0 ? (out.trim().split(/\r?\n/).at(-1) ?? '') : err;
}

describe('repair', () => {
  const scratch = temporaryDirectory();
  const whole = path.join(scratch, 'whole');
  let number = 0;
  const copy = (): string => {
    const directory = path.join(scratch, `copy-${String(++number)}`);
    copyDirectory(whole, directory);
    return directory;
  };
  before(async function () {
    this.timeout(30_000);
    await filled(whole);
  });
  afterEach(killServers);

  it('changes neither an undamaged database nor a foreign directory', async () => {
    const directory = copy();
    const before = contentOf(directory);
    const told = await runCli(['repair', directory]);
    assert.strictEqual(told.code, 0, told.err);
    assert.match(told.out, /mended\s+0/);
    assert.strictEqual(contentOf(directory), before);
    const none = await runCli(['repair', path.join(scratch, 'none')]);
    assert.strictEqual(none.code, 1);
    assert.match(none.err, /no database/);
    const backup = path.join(scratch, 'backup');
    assert.strictEqual((await runCli(['backup', backup, directory])).code, 0);
    const ofBackup = contentOf(backup);
    const refused = await runCli(['repair', backup, '--accept-loss']);
    assert.strictEqual(refused.code, 1);
    assert.match(refused.err, /is a backup/);
    assert.strictEqual(contentOf(backup), ofBackup);
  }).timeout(30_000);

  it('rebuilds each metadata format from the other; a dry run changes nothing', async () => {
    const directory = copy();
    const content = await exported(directory);
    flip(path.join(directory, 'MANIFEST'), 30);
    rmSync(path.join(directory, 'CATALOG'));
    const before = contentOf(directory);
    const dry = await runCli(['repair', directory, '--dry-run']);
    assert.strictEqual(dry.code, 0, dry.err);
    assert.match(dry.out, /MANIFEST: [^\n]*\n {2}would be mended: rebuilt from REFS/);
    assert.strictEqual(contentOf(directory), before);
    const told = await runCli(['repair', directory]);
    assert.strictEqual(told.code, 0, told.err);
    assert.match(told.out, /CATALOG is missing\n {2}mended: rebuilt from REFS/);
    assert.isTrue(existsSync(path.join(directory, 'quarantine/MANIFEST.damaged')));
    assert.strictEqual(await exported(directory), content);
    assert.strictEqual((await runCli(['verify', directory])).code, 0);
  }).timeout(30_000);

  it('asks for --timestamp-unit when ROOT is lost', async () => {
    const directory = copy();
    const content = await exported(directory);
    rmSync(path.join(directory, 'ROOT'));
    const refused = await runCli(['repair', directory]);
    assert.strictEqual(refused.code, 1);
    assert.match(refused.out, /--timestamp-unit/);
    const told = await runCli(['repair', directory, '--timestamp-unit', 'ms']);
    assert.strictEqual(told.code, 0, told.err);
    assert.strictEqual(await exported(directory), content);
  }).timeout(30_000);

  it('truncates the WAL only if allowed, and keeps the removed part', async () => {
    const directory = copy();
    const log = filesIn(path.join(directory, 'wal'), '.wal').at(-1) ?? '';
    const bytes = readFileSync(log);
    flip(log, Math.floor(bytes.length / 2));
    const start = await runCli(['export', directory]);
    assert.strictEqual(start.code, 1);
    assert.match(start.err, /seriesdb repair/);
    const left = await runCli(['repair', directory]);
    assert.strictEqual(left.code, 3, left.err);
    assert.match(left.out, /--accept-loss[^\n]*\n {2}lost: from sequence \d+ on/);
    const told = await runCli(['repair', directory, '--accept-loss', '--json']);
    assert.strictEqual(told.code, 0, told.err);
    const end = JSON.parse(told.out.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
    assert.deepInclude(end, { kind: 'end', status: 'ok', mended: 1, left: 0 });
    const kept = filesIn(path.join(directory, 'quarantine'));
    assert.isAbove(kept.length, 0);
    assert.match(await exported(directory), /"young"/);
  }).timeout(30_000);

  it('drops a damaged segment of a running server, whose status is then ok', async () => {
    const directory = copy();
    const segments = filesIn(path.join(directory, 'objects'));
    for (const file of segments.slice(0, 1))
      writeFileSync(file, readFileSync(file).subarray(0, 99));
    const server = await startServer({ dataDir: directory, args: withAdmin });
    const url = ['--url', adminUrl(server)];
    const status = async (): Promise<unknown> => {
      const answer = await ask(server.adminPort, '/__admin/status');
      return (JSON.parse(answer.body) as Record<string, unknown>)['status'];
    };
    assert.strictEqual(await status(), 'degraded');
    const left = await runCli(['repair', ...url]);
    assert.strictEqual(left.code, 3, left.err);
    const told = await runCli(['repair', ...url, '--accept-loss']);
    assert.strictEqual(told.code, 0, told.err);
    assert.match(told.out, /lost: 1000 samples of 1 series, from \d+ to \d+/);
    assert.strictEqual(await status(), 'ok');
    const counts = [await count(server, 'old'), await count(server, 'young')].sort();
    assert.strictEqual(counts[0], '1000');
    assert.match(counts[1] ?? '', /series_not_found/);
    const bad = await ask(server.adminPort, '/__admin/repair?accept_loss=1', { method: 'POST' });
    assert.strictEqual(bad.status, 400);
    assert.include(bad.body, 'invalid_flag');
  }).timeout(30_000);

  it('names the snapshot that needs a segment, and suggests no useless flag', async () => {
    const directory = copy();
    assert.strictEqual((await runCli(['snapshot', 'create', 'then', directory])).code, 0);
    const before = await hashesOf(directory);
    const server = await startServer({ dataDir: directory, args: withAdmin });
    const url = ['--url', adminUrl(server)];
    const body = 'delete from old where time between 0 and 99999';
    const answer = await ask(server.port, '/api/v1/seriesql', { method: 'POST', body });
    assert.strictEqual(answer.status, 200, answer.body);
    assert.strictEqual((await runCli(['compact', ...url])).code, 0);
    await server.kill();
    const after = await hashesOf(directory);
    const held = before.find((hash) => !after.includes(hash)) ?? '';
    const file = path.join(directory, 'objects', held.slice(0, 2), held.slice(2));
    writeFileSync(file, readFileSync(file).subarray(0, 99));
    for (const flags of [[], ['--accept-loss']]) {
      const told = await runCli(['repair', directory, ...flags]);
      assert.strictEqual(told.code, 3, told.err);
      const why = 'only these snapshots need it: then';
      assert.include(told.out, `\n  left, and --accept-loss does not help: ${why}\n`);
      assert.notInclude(told.out, 'is lost');
    }
  }).timeout(30_000);

  it('draws a progress bar on a terminal, and none into a file', async () => {
    const directory = copy();
    assert.match(await runAtTerminal(['repair', directory]), /repair .*100% \| 2 files/);
    assert.strictEqual((await runCli(['repair', directory])).err, '');
  }).timeout(30_000);
});
