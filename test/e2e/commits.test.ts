/** A database with two descriptions: each read mode opens from its own. */
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { Client } from '../support/client.js';
import { copyDirectory } from '../support/directory-state.js';
import {
  killServers,
  removeDirectory,
  runCommand,
  serveArguments,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

const all = { metric: 'm', start: 0n, end: 1_000_000n };
const line = (metric: string, ts: number): string =>
  `${JSON.stringify({ metric, ts, value: ts })}\n`;

function modeArgs(mode: string): { readonly args: readonly string[] } {
  return { args: ['--metadata-read-mode', mode] };
}

interface Status {
  readonly status: string;
  readonly reasons?: readonly string[];
  readonly compatibility_debt: Readonly<Record<string, number>>;
  readonly runtime: Readonly<Record<string, number>>;
}

async function statusOf(client: Client): Promise<Status> {
  return JSON.parse((await client.request('GET', '/status')).body) as Status;
}

describe('the commit and the log as descriptions of a database', function () {
  this.timeout(60_000);
  let dataDir: string;

  /** Two segments of `metric`, and a sample that is only in the log. */
  async function fill(directory: string, metric: string): Promise<void> {
    for (const ts of [1, 2]) {
      const server = await startServer({ dataDir: directory });
      const client = new Client(server.port);
      await client.ingest(line(metric, ts));
      client.close();
      await server.stop();
    }
    const server = await startServer({ dataDir: directory });
    const client = new Client(server.port);
    await client.ingest(line(metric, 3));
    client.close();
    await server.kill();
  }

  async function read(mode: string, directory = dataDir): Promise<Status> {
    const server = await startServer({ dataDir: directory, ...modeArgs(mode) });
    const client = new Client(server.port);
    const points = await client.rangeGet(all);
    assert.deepEqual(
      points.map(({ ts }) => ts),
      [1n, 2n, 3n],
    );
    const status = await statusOf(client);
    client.close();
    await server.kill();
    return status;
  }

  function without(names: readonly string[]): string {
    const copy = path.join(temporaryDirectory(), 'data');
    copyDirectory(dataDir, copy);
    for (const name of names) rmSync(path.join(copy, name), { force: true });
    return copy;
  }

  beforeEach(async () => {
    dataDir = path.join(temporaryDirectory(), 'data');
    await fill(dataDir, 'm');
  });
  afterEach(async () => {
    await killServers();
    removeDirectory(dataDir);
  });

  it('opens from the commit alone in mode primary; legacy and shadow refuse to', async () => {
    for (const mode of ['legacy', 'shadow']) {
      const options = { dataDir: without(['MANIFEST']), ...modeArgs(mode) };
      const { code, output } = await runCommand(serveArguments(options));
      assert.strictEqual(code, 1);
      assert.match(output, /MANIFEST is missing/);
    }
    const copy = without(['MANIFEST', 'CATALOG', 'ANNOTATIONS']);
    const { compatibility_debt: debt } = await read('primary', copy);
    assert.strictEqual(debt['legacy_segment_descriptors'], 0);
    // Both descriptions are complete again.
    await read('legacy', copy);
  });

  it('opens from the log alone in every mode, and commits it again', async () => {
    for (const mode of ['legacy', 'shadow', 'primary']) {
      const copy = without(['REFS']);
      const { runtime, status } = await read(mode, copy);
      assert.isAtLeast(Number(runtime['cas_sync_total']), 1);
      assert.strictEqual(status, 'ok');
      rmSync(path.join(copy, 'MANIFEST'));
      await read('primary', copy);
    }
  });

  it('in mode shadow, counts and names the differences of the commit', async () => {
    assert.strictEqual((await read('shadow')).runtime['cas_shadow_mismatch_total'], 0);
    const other = path.join(temporaryDirectory(), 'data');
    await fill(other, 'n');
    const copy = without([]);
    cpSync(path.join(other, 'REFS'), path.join(copy, 'REFS'));
    const { status, reasons = [], runtime } = await read('shadow', copy);
    assert.isAbove(Number(runtime['cas_shadow_mismatch_total']), 0);
    assert.strictEqual(status, 'degraded');
    assert.match(reasons.join('\n'), /MANIFEST, CATALOG and ANNOTATIONS differ from the commit/);
    // Then both agree.
    assert.strictEqual((await read('shadow', copy)).runtime['cas_shadow_mismatch_total'], 0);
  });
});
