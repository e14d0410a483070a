import { assert } from 'chai';

import { openNativeStorage } from '../../../src/storage/native-storage.js';
import { addonPath, freshDirectory, optionsFor, removeDirectories } from '../../native/addon.js';
import { Random, testSeed } from '../../support/random.js';

import { Engines } from './engines.js';
import { fallbackReasons, randomDelete, randomLines, randomQuery } from './query-maker.js';
import { assertSame, randomStorage, receiveSpecials } from './worlds.js';

import type { TimestampUnit } from '../../../src/common/model/timestamp-unit.js';
import type { Storage } from '../../../src/storage/storage.js';

const worlds = 8;
const queriesOfWorld = 250;

interface World {
  readonly storage: Storage;
  readonly engines: Engines;
  readonly unit: TimestampUnit;
  readonly ids: readonly string[];
  /** Some values are no numbers. */
  readonly hasSpecials: boolean;
}

/** Sometimes stores, deletes or flushes. */
async function change(random: Random, world: World): Promise<void> {
  const { storage, engines, unit, ids, hasSpecials } = world;
  if (random.chance(0.03))
    await engines.answer(withIds(random, ids, randomDelete(random)), 'compiled');
  if (random.chance(0.01)) {
    const request = storage.beginIngest({ precision: unit, isLenient: false });
    request.write(Buffer.from(randomLines(random)));
    await request.commit();
  }
  if (hasSpecials && random.chance(0.01)) await receiveSpecials(random, storage);
  if (random.chance(0.01)) await storage.flush();
}

/** Replaces the query maker's question mark by some of the ids. */
function withIds(random: Random, ids: readonly string[], text: string): string {
  const some = Array.from({ length: 1 + random.below(4) }, () => random.pick(ids));
  return text.replaceAll('by_id(?)', `by_id(${some.join(', ')})`);
}

describe('the compiled engine and the interpreter', () => {
  after(removeDirectories);

  it(`return the same rows for random queries, seed ${testSeed}`, async function () {
    this.timeout(120_000);
    const counts = { compiled: 0, all: 0, rows: 0, texts: 0 };
    const reasons = new Set<string>();
    for (let world = 0; world < worlds; world++) {
      const random = new Random(testSeed + world);
      const hasSpecials = world % 2 === 1;
      const unit = hasSpecials ? 'ms' : random.pick(['ms', 'ms', 's', 'us', 'ns'] as const);
      const storage = await randomStorage(random, unit);
      if (hasSpecials) await receiveSpecials(random, storage);
      const engines = new Engines(storage, unit);
      const ids = ['77'];
      for (const source of ['cpu.*', 'requests_total', 'odd']) {
        const { rows } = await engines.answer(`show series from ${source}`, 'legacy');
        ids.push(...rows.map(([id]) => String(id)));
      }
      for (let at = 0; at < queriesOfWorld; at++) {
        await change(random, { storage, engines, unit, ids, hasSpecials });
        const text = withIds(random, ids, randomQuery(random));
        const legacy = await engines.answer(text, 'legacy');
        const compiled = await engines.answer(text, 'compiled');
        assertSame(text, legacy, compiled);
        assertSame(text, legacy, await engines.answer(text, 'shadow'));
        if (compiled.stats !== null) {
          const format = random.pick(['json', 'csv', 'ndjson'] as const);
          const printed = await engines.print(text, format, false);
          assert.strictEqual(printed, await engines.print(text, format, true), text);
          if (!text.includes('(')) {
            const legacyPrinted = await engines.print(text, format, true, 'legacy');
            assert.strictEqual(printed, legacyPrinted, text);
          }
        }
        counts.all += 1;
        counts.rows += legacy.rows.length;
        if (compiled.stats !== null) {
          const { legacy_fallback: isFallback, fallback_reason: reason = 'none' } = compiled.stats;
          const allowed = fallbackReasons(text);
          assert.strictEqual(isFallback, allowed.length > 0, `${reason}: ${text}`);
          if (isFallback) assert.include(allowed, reason, text);
          else counts.compiled += 1;
          reasons.add(reason);
        }
        if (compiled.stats !== null && legacy.stats !== null) {
          for (const key of ['selector_mode', 'selected_series_count', 'rows_emitted'] as const) {
            assert.strictEqual(compiled.stats[key], legacy.stats[key], `${key} of ${text}`);
          }
        }
      }
      // Only sums that nearly cancel may differ by more than rounding.
      assert.isAtMost(
        engines.totals.shadowMismatch,
        queriesOfWorld / 50,
        engines.differences.join('\n'),
      );
      counts.texts += engines.nativeTexts;
      await storage.close();
    }
    // Each reason comes up, neither engine is left out, and the queries find something.
    assert.sameMembers(
      [...reasons],
      ['none', 'unsupported_function', 'unsupported_aggregate', 'unsupported_grouping'],
    );
    assert.isAbove(counts.compiled, counts.all / 2);
    assert.isAbove(counts.rows, counts.all);
    assert.isAbove(counts.texts, counts.all / 20);
  });

  it('have buckets of one unit wherever they start', async () => {
    const storage = await openNativeStorage(optionsFor(freshDirectory()), addonPath);
    const request = storage.beginIngest({ precision: 'ms', isLenient: false });
    for (const ts of ['-9223372036854775808', '-9223372036854775800', '9223372036854775807']) {
      request.write(Buffer.from(`{"metric":"m","ts":${ts},"value":1}\n`));
    }
    await request.commit();
    const engines = new Engines(storage);
    for (const origin of ['13', '-13', '9223372036854775807', '-9223372036854775807']) {
      const key = `time_bucket(1, time, ${origin})`;
      const text = `select ${key}, count(*) from m group by ${key}`;
      const compiled = await engines.answer(text, 'compiled');
      assert.lengthOf(compiled.rows, 3, text);
      assertSame(text, await engines.answer(text, 'legacy'), compiled);
    }
    await storage.close();
  });
});
