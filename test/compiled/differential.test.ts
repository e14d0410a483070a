import { assert } from 'chai';

import { removeDirectories } from '../native/addon.js';
import { Random, testSeed } from '../support/random.js';

import { Engines } from './engines.js';
import { randomQuery } from './query-maker.js';
import { assertSame, randomStorage } from './worlds.js';

const worlds = 8;
const queriesOfWorld = 250;

describe('the compiled engine and the interpreter', () => {
  after(removeDirectories);

  it(`give the same rows for random queries, seed ${testSeed}`, async function () {
    this.timeout(120_000);
    const counts = { compiled: 0, all: 0, rows: 0, texts: 0 };
    for (let world = 0; world < worlds; world++) {
      const random = new Random(testSeed + world);
      const storage = await randomStorage(random);
      const engines = new Engines(storage);
      for (let at = 0; at < queriesOfWorld; at++) {
        const text = randomQuery(random);
        const legacy = await engines.answer(text, 'legacy');
        const compiled = await engines.answer(text, 'compiled');
        assertSame(text, legacy, compiled);
        assertSame(text, legacy, await engines.answer(text, 'shadow'));
        if (compiled.stats !== null) {
          const format = random.pick(['json', 'csv', 'ndjson'] as const);
          const printed = await engines.print(text, format, false);
          assert.strictEqual(printed, await engines.print(text, format, true), text);
        }
        counts.all += 1;
        counts.rows += legacy.rows.length;
        if (compiled.stats?.legacy_fallback === false) counts.compiled += 1;
        if (compiled.stats !== null && legacy.stats !== null) {
          for (const key of ['selector_mode', 'selected_series_count', 'rows_emitted'] as const) {
            assert.strictEqual(compiled.stats[key], legacy.stats[key], `${key} of ${text}`);
          }
        }
      }
      // Only sums that cancel to nearly nothing may differ by more than rounding.
      assert.isAtMost(
        engines.totals.shadowMismatch,
        queriesOfWorld / 50,
        engines.differences.join('\n'),
      );
      counts.texts += engines.nativeTexts;
      await storage.close();
    }
    // Neither engine is left out, and the queries find something.
    assert.isAbove(counts.compiled, counts.all / 4);
    assert.isBelow(counts.compiled, counts.all);
    assert.isAbove(counts.rows, counts.all);
    assert.isAbove(counts.texts, counts.all / 20);
  });
});
