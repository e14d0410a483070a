/** Options of the right types that an engine refuses. */
import { inspect } from 'node:util';

import { assert } from 'chai';

import { addon, freshDirectory, optionsFor, rejectedBy, removeDirectories } from './addon.js';
import { milliseconds } from '../../src/common/model/timestamp-unit.js';
import type { NativeBucketOptions } from '../../src/storage/native/bucket-contract.js';
import type { NativeEngineOptions } from '../../src/storage/native/contract.js';

describe('wrong options of an engine', () => {
  after(() => {
    store.close();
    removeDirectories();
  });

  const past = { snapshot: null, edit: null, timeMs: 0n };
  const store = addon.makeStore();
  const bucket: NativeBucketOptions = {
    store: store.share(),
    url: 's3://metrics/db',
    node: 'a',
    address: '',
    ack: 'local',
    groupMs: milliseconds(1000),
    waitMs: milliseconds(10_000),
    publishMs: milliseconds(10_000),
    lagMaxMs: milliseconds(0),
  };
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
    { bucket, isReadOnly: true },
    ...[
      ...[{ url: 1 }, { node: '' }, { node: 'a b' }, { node: 'n'.repeat(129) }, { address: '\n' }],
      ...[{ address: 'a'.repeat(257) }, { ack: 'all' }, { groupMs: -1 }, { waitMs: NaN }],
      ...[{ publishMs: Infinity }, { lagMaxMs: '0' }, { store: null }],
    ].map((changes) => ({ bucket: { ...bucket, ...changes } })),
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

  it('include the number of a store that nobody has', async () => {
    const options = { ...optionsFor(freshDirectory()), bucket: { ...bucket, store: 2 ** 40 } };
    assert.strictEqual(await rejectedBy(() => addon.openEngine(options)), 'closed');
  });
});
