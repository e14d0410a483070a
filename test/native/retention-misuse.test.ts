/** What is no rule of retention, by an engine that opens and by one that is open. */
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

import type { NativeEngineOptions } from '../../src/native/contract.js';

describe('wrong rules of retention', () => {
  after(removeDirectories);

  const wrong: readonly unknown[] = [
    ...[undefined, null, 1, 'a', {}],
    ...[[null], [1], [{}], [{ match: 'a' }], [{ match: 1, keep: 1n }], [{ match: 'a', keep: 1 }]],
    ...[[{ match: 'a', keep: 0n }], [{ match: 'a', keep: -1n }], [{ match: 'a', keep: 2n ** 63n }]],
    Array(1001).fill({ match: 'a', keep: 1n }),
  ];

  it('are refused', async () => {
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
    engine.configure({ ...options, retention: Array(1000).fill({ match: 'a*', keep: 1n }) });
    await engine.close();
  });
});
