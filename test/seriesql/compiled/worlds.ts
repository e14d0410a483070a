/** Random storages, and answers held together, for tests of query engines. */

import { inspect } from 'node:util';

import { assert } from 'chai';

import { isClose } from '../../../src/seriesql/shadow.js';
import { openNativeStorage } from '../../../src/storage/native-storage.js';
import { addonPath, freshDirectory, optionsFor } from '../../native/addon.js';

import { randomLines } from './query-maker.js';

import type { TimestampUnit } from '../../../src/model/timestamp-unit.js';
import type { Value } from '../../../src/seriesql/language/value.js';
import type { Storage } from '../../../src/storage/storage.js';
import type { Random } from '../../support/random.js';
import type { Answer } from './engines.js';

export async function randomStorage(random: Random, unit: TimestampUnit = 'ms'): Promise<Storage> {
  const options = optionsFor(freshDirectory(), { timestampUnit: unit });
  const storage = await openNativeStorage(options, addonPath);
  for (let batch = 1 + random.below(5); batch > 0; batch--) {
    const request = storage.beginIngest({ precision: unit, isLenient: false });
    request.write(Buffer.from(randomLines(random)));
    await request.commit();
    if (random.chance(0.5)) await storage.flush();
  }
  return storage;
}

/**
 * Holds answers together to the bit, but where the documents say that the last digits may differ:
 * variances, and sums in which values cancel that are apart by more than a hundred bits, of which
 * only the metric `odd` has some.
 */
export function assertSame(text: string, legacy: Answer, other: Answer): void {
  const isEqual = /stddev|variance|\bodd\b|by_id/.test(text) ? isNear : Object.is;
  assert.strictEqual(other.columns, legacy.columns, text);
  assert.strictEqual(other.rows.length, legacy.rows.length, text);
  legacy.rows.forEach((row, at) => {
    const pair = `${text}\nrow ${at}: ${inspect(row)} and ${inspect(other.rows[at])}`;
    assert.isTrue(
      row.every((value, column) => isEqual(value, other.rows[at]?.[column] ?? null)),
      pair,
    );
  });
}

/** Rounding is large beside a sum that cancels. */
function isNear(left: Value, right: Value): boolean {
  if (isClose(left, right)) return true;
  return typeof left === 'number' && typeof right === 'number' && Math.abs(left - right) < 1e-8;
}
