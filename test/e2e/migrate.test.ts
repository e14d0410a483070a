/** Migration of an older program's directory, as an operator does it. */
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { ask, lastLine } from '../support/admin-server.js';
import { runCli } from '../support/cli.js';
import { objectFiles } from '../support/segment-files.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const withAdmin = ['--admin-enabled', 'true', '--admin-listen', '127.0.0.1:0'];

/** A directory of the last format with numbered segments. */
function oldDirectory(): string {
  const dataDir = path.join(temporaryDirectory(), 'data');
  cpSync('test/golden/format-8/whole/data', dataDir, { recursive: true });
  return dataDir;
}

function oldNames(dataDir: string): readonly string[] {
  return readdirSync(path.join(dataDir, 'segments'));
}

async function contentOf(server: Server): Promise<string> {
  const { code, out, err } = await runCli(['export', '--url', server.url]);
  assert.strictEqual(code, 0, err);
  assert.isNotEmpty(out);
  return out;
}

async function debtOf(server: Server): Promise<object> {
  const { body } = await ask(server.port, '/status');
  const told = JSON.parse(body) as { readonly compatibility_debt: object };
  return told.compatibility_debt;
}

const noDebt = {
  legacy_segment_descriptors: 0,
  legacy_wal_descriptors: 0,
  loose_refs_present: 0,
};

describe('a directory of an older version', () => {
  afterEach(killServers);

  it('is migrated offline', async () => {
    const dataDir = oldDirectory();
    const count = oldNames(dataDir).length;
    assert.isAbove(count, 0);
    const { code, out, err } = await runCli(['migrate', dataDir, '--json']);
    assert.strictEqual(code, 0, err);
    const told = lastLine(out);
    assert.strictEqual(told['status'], 'migrated');
    assert.isAtLeast(Number(told['segments']), count);
    assert.deepEqual(oldNames(dataDir), []);
    assert.isAtLeast(objectFiles(dataDir).length, count);
    assert.strictEqual((await runCli(['verify', dataDir])).code, 0);
    const again = await runCli(['migrate', dataDir]);
    assert.match(again.out, /^status +migrated\nsegments +0\nbytes +0\ntags +0\nleft +0\n/);
  });

  it('is migrated by its server, whose answers stay the same meanwhile', async () => {
    const dataDir = oldDirectory();
    const server = await startServer({ dataDir, args: withAdmin });
    const before = await contentOf(server);
    assert.isAbove(Number(Reflect.get(await debtOf(server), 'legacy_segment_descriptors')), 0);
    const url = `http://127.0.0.1:${String(server.adminPort)}`;
    const { code, err } = await runCli(['migrate', '--url', url]);
    assert.strictEqual(code, 0, err);
    assert.deepEqual(await debtOf(server), noDebt);
    assert.deepEqual(await contentOf(server), before);
    await server.kill();
    for (const mode of ['legacy', 'shadow', 'primary']) {
      const args = ['--metadata-read-mode', mode, ...withAdmin];
      const again = await startServer({ dataDir, args });
      assert.deepEqual(await contentOf(again), before, mode);
      // The log that the kill left is empty.
      assert.deepEqual(await debtOf(again), noDebt, mode);
      const done = await ask(again.adminPort, '/__admin/migrate', { method: 'POST' });
      assert.strictEqual(lastLine(done.body)['status'], 'migrated', done.body);
      assert.deepEqual(await debtOf(again), noDebt, mode);
      await again.kill();
    }
  });

  it('has no migration debt at its next starts, although its WAL was not flushed', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: withAdmin });
    const body = '{"metric":"m","ts":1,"value":1}';
    const target = '/api/v1/ingest';
    assert.strictEqual((await ask(server.port, target, { method: 'POST', body })).status, 200);
    await server.kill();
    assert.strictEqual((await runCli(['migrate', dataDir])).code, 0);
    for (let start = 0; start < 3; start++) {
      const next = await startServer({ dataDir, args: withAdmin });
      assert.deepEqual(await debtOf(next), noDebt);
      await next.kill();
    }
  });

  it('is not migrated if commits are off', async () => {
    const dataDir = oldDirectory();
    const args = ['--cas-mode', 'off', '--metadata-read-mode', 'legacy', ...withAdmin];
    const server = await startServer({ dataDir, args });
    const answer = await ask(server.adminPort, '/__admin/migrate', { method: 'POST' });
    assert.strictEqual(answer.status, 400);
    assert.include(answer.body, 'cas_mode is \\"off\\"');
  });
});
