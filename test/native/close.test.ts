import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { assert } from 'chai';

import {
  addon,
  freshDirectory,
  ingest,
  openAll,
  optionsFor,
  readAll,
  removeDirectories,
} from './addon.js';

const program = new URL('./full-log.js', import.meta.url);

describe('close() of the addon', () => {
  after(removeDirectories);

  it('rejects on every call if the WAL could not be written', async () => {
    const directory = join(freshDirectory(), 'data');
    // The limit counts blocks of 512 or 1024 bytes. Node ignores the signal, and the write fails.
    const command = `ulimit -f 64 && exec "$0" "$1" "$2"`;
    const args = ['-c', command, process.execPath, program.pathname, directory];
    const { stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
    const expected = 'storage_unavailable storage_unavailable storage_unavailable';
    assert.equal(stdout, expected, stderr);
    // All acknowledged samples are there.
    const engine = await addon.openEngine(optionsFor(directory));
    assert.isAtLeast((await readAll(openAll(engine))).length, 1000);
    await engine.close();
  });

  it('resolves on every call once all data is on disk', async () => {
    const engine = await addon.openEngine(optionsFor(freshDirectory()));
    await ingest(engine, 0, 10);
    await engine.close();
    await engine.close();
  });
});
