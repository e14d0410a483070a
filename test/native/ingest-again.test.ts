/** One ingest object of the addon takes one body after another. */
import { assert } from 'chai';

import {
  addon,
  commit,
  freshDirectory,
  linesFrom,
  openAll,
  optionsFor,
  readAll,
  removeDirectories,
  strict,
  thrownBy,
} from './addon.js';

import type { NativeEngine } from '../../src/storage/native/contract.js';

describe('another body with the same format', () => {
  let engine: NativeEngine;
  before(async () => {
    engine = await addon.openEngine(optionsFor(freshDirectory()));
  });
  after(removeDirectories);

  it('starts when the previous one has ended, with any outcome', async () => {
    const body = engine.beginIngest(strict);
    assert.strictEqual(
      thrownBy(() => {
        body.again();
      }),
      'closed',
    );
    body.write(linesFrom(1, 2));
    // The next body begins before the first is durable.
    const first = commit(body);
    body.again();
    body.write(linesFrom(10, 2));
    body.abort();
    body.again();
    assert.strictEqual(
      thrownBy(() => body.write(new TextEncoder().encode('no line\n'))),
      'invalid_json',
    );
    body.again();
    body.write(linesFrom(20, 1));
    assert.strictEqual((await commit(body)).ingested, 1);
    assert.strictEqual((await first).ingested, 2);
    const stored = await readAll(openAll(engine));
    assert.deepEqual(
      stored.map(({ ts }) => ts),
      [1, 2, 20],
    );
  });

  it('does not start when the engine is closed', async () => {
    const body = engine.beginIngest(strict);
    body.abort();
    await engine.close();
    assert.strictEqual(
      thrownBy(() => {
        body.again();
      }),
      'closed',
    );
  });
});
