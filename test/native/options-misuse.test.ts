/** Options of the right types that an engine refuses. */
import { inspect } from 'node:util';

import { assert } from 'chai';

import { addon, freshDirectory, optionsFor, rejectedBy, removeDirectories } from './addon.js';
import type { NativeEngineOptions } from '../../src/storage/native/contract.js';

describe('wrong options of an engine', () => {
  after(removeDirectories);

  const past = { snapshot: null, edit: null, timeMs: 0n };
  const wrong: readonly Record<string, unknown>[] = [
    { directory: 'a\0b' },
    ...['m', ''].map((timestampUnit) => ({ timestampUnit })),
    { fsync: 'sometimes' },
    ...[-1, NaN, Infinity, 2 ** 53].map((memtableMaxBytes) => ({ memtableMaxBytes })),
    ...[0, 1, 65, 2 ** 32 + 8].map((compactionFactor) => ({ compactionFactor })),
    ...[0, -1, 2 ** 32].map((listeners) => ({ listeners })),
    { maxFutureSkew: 2n ** 63n },
    { casMode: 'off', metadataReadMode: 'primary' },
    { casMode: 'off', metadataReadMode: 'shadow' },
    { past },
    { past: { ...past, timeMs: null }, isReadOnly: true },
  ];
  const right: readonly Partial<NativeEngineOptions>[] = [
    { casMode: 'off', metadataReadMode: 'legacy' },
    { compactionFactor: 2 },
    { compactionFactor: 64 },
  ];

  it('are rejected', async () => {
    for (const changes of wrong) {
      const options = { ...optionsFor(freshDirectory()), ...changes };
      const opened = await rejectedBy(() => addon.openEngine(options));
      assert.strictEqual(opened, 'invalid_argument', inspect(changes));
    }
  });

  it('do not include the bounds of the valid range', async () => {
    for (const changes of right) {
      const engine = await addon.openEngine({ ...optionsFor(freshDirectory()), ...changes });
      await engine.close();
    }
  });
});
