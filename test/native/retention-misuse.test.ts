/** Invalid retention rules, for an engine that opens and for an open one. */
import { inspect } from 'node:util';

import { assert } from 'chai';

import {
  addon,
  freshDirectory,
  optionsFor,
  rejectedBy,
  removeDirectories,
  thrownBy,
} from './addon.js';

import type { NativeEngineOptions } from '../../src/storage/native/contract.js';

describe('invalid retention rules', () => {
  after(removeDirectories);

  const good = { match: 'a', labels: [], keep: 1n };
  const wrong: readonly unknown[] = [
    ...[undefined, null, 1, 'a', {}],
    ...[[null], [1], [{}], [{ match: 'a', labels: [] }]],
    ...[{ match: 1, keep: 1n }, { keep: 1 }, { keep: 0n }, { keep: -1n }, { keep: 2n ** 63n }].map(
      (rule) => [{ ...good, ...rule }],
    ),
    ...[null, {}, ['a'], ['a', 1], [null, 'b']].map((labels) => [{ ...good, labels }]),
    Array(1001).fill(good),
    Array.from({ length: 64 }, (_, i) => ({ ...good, keep: BigInt(i + 1) })),
  ];

  it('are rejected', async () => {
    const options = optionsFor(freshDirectory());
    const engine = await addon.openEngine(options);
    for (const retention of wrong) {
      const other = { ...options, retention } as NativeEngineOptions;
      const configured = thrownBy(() => {
        engine.configure(other);
      });
      assert.strictEqual(configured, 'invalid_argument', inspect(retention));
      const directory = freshDirectory();
      const opened = await rejectedBy(() => addon.openEngine({ ...other, directory }));
      assert.strictEqual(opened, 'invalid_argument', inspect(retention));
    }
    engine.configure({ ...options, retention: Array(1000).fill({ ...good, match: 'a*' }) });
    await engine.close();
  });
});
