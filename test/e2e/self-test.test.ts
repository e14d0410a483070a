/** `seriesdb self-test`: what it tells of a good folder, and of bad ones. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { runCli } from '../support/cli.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

describe('seriesdb self-test', function () {
  this.timeout(120_000);
  let folder = '';
  before(() => {
    folder = temporaryDirectory();
  });
  after(() => {
    removeDirectory(folder);
  });

  it('passes here, as lines for people, and leaves nothing behind', async () => {
    const { code, out, err } = await runCli(['self-test', folder]);
    assert.deepEqual([code, err], [0, '']);
    const lines = out.trimEnd().split('\n');
    const names = lines.map((line) => /^(?:ok|warning) +(\w+) +\S/.exec(line)?.[1]);
    assert.deepEqual(names, ['machine', 'clock', 'limits', 'loopback', 'disk', 'codec'], out);
    assert.match(out, /300000 samples are equal bit by bit after a restart/);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('tells figures as JSON', async () => {
    const { code, out } = await runCli(['self-test', folder, '--json']);
    assert.strictEqual(code, 0);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const disk = lines.find(({ test }) => test === 'disk');
    assert.isAbove(Number(disk?.['p50_ms']), 0);
    assert.isAtLeast(Number(disk?.['p99_ms']), Number(disk?.['p50_ms']));
    assert.isAbove(Number(disk?.['free_bytes']), 0);
    assert.strictEqual(lines.find(({ test }) => test === 'codec')?.['samples'], 300_000);
  });

  it('warns of a folder in memory', async function () {
    if (!existsSync('/dev/shm')) this.skip();
    const inMemory = mkdtempSync('/dev/shm/seriesdb-');
    const { code, out } = await runCli(['self-test', inMemory]);
    removeDirectory(inMemory);
    assert.strictEqual(code, 0);
    assert.match(out, /^warning +disk +tmpfs, .* lost when the machine stops/m);
  });

  it('says why it cannot test a folder', async () => {
    const missing = path.join(folder, 'missing');
    const { code, out, err } = await runCli(['self-test', missing]);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /^seriesdb: cannot write in .*missing: .+\n$/);
    mkdirSync(missing);
    assert.strictEqual((await runCli(['self-test', missing, '--fast'])).code, 2);
  });
});
