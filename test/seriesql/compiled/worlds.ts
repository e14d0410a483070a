/** Random storages, and comparisons of answers, for tests of query engines. */

import { inspect } from 'node:util';

import { assert } from 'chai';

import { parseStatement } from '../../../src/query/seriesql/language/parser.js';
import { QueryText } from '../../../src/query/seriesql/language/query-text.js';
import { isClose } from '../../../src/query/seriesql/shadow.js';
import { openNativeStorage } from '../../../src/storage/native-storage.js';
import { addonPath, freshDirectory, optionsFor } from '../../native/addon.js';
import { writeRequest } from '../../support/remote-write.js';

import { randomLines } from './query-maker.js';

import type { TimestampUnit } from '../../../src/common/model/timestamp-unit.js';
import type { Value } from '../../../src/query/values/value.js';
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

/** Values that no line can express: NaNs, infinities, and stale markers, which no query may see. */
const specials = [
  ...[0x7ff0000000000002n, 0x7ff0000000000002n, 0x7ff8000000000000n, 0x7ff80000000000abn],
  ...[0xfff8000000000000n, 0x7ff0000000000000n, 0xfff0000000000000n],
];

/** Random samples by remote_write, into a storage of milliseconds; some are no numbers. */
export async function receiveSpecials(random: Random, storage: Storage): Promise<void> {
  const often = random.pick([0.02, 0.1, 0.5]);
  const lines = randomLines(random).split('\n').slice(0, -1);
  const series = lines.map((line) => {
    const { metric, labels, value } = JSON.parse(line) as SentLine;
    const ts = BigInt(/"ts":(-?\d+)/.exec(line)?.[1] ?? '0');
    const sent = random.chance(often) ? random.pick(specials) : value;
    return { labels: { __name__: metric, ...labels }, samples: [[ts, sent]] as const };
  });
  const options = { precision: 'ms', isLenient: false, format: { kind: 'remote_write' } } as const;
  const request = storage.beginIngest(options);
  request.write(writeRequest(series));
  await request.commit();
}

interface SentLine {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Aggregates that add values. `delta` adds once a series. */
const adds = /\b(?:sum|avg|increase|rate|integral)\(/;
/** Holds `odd`, the only metric with values that cancel and are apart by more than eighty bits. */
const hasFarValues = /\bfrom (?:odd\b|by_id)/;
const addsSeries = /\bdelta\(/;

/**
 * Requires answers equal to the bit, except columns whose last digits may differ by the documents:
 * sums in which distant values cancel.
 */
export function assertSame(text: string, legacy: Answer, other: Answer): void {
  assert.strictEqual(other.columns, legacy.columns, text);
  if (legacy.stats === null) return;
  const isEqualOf = itemsOf(text).map((item) => (mayDiffer(item, text) ? isNear : Object.is));
  assert.strictEqual(other.rows.length, legacy.rows.length, text);
  legacy.rows.forEach((row, at) => {
    const pair = `${text}\nrow ${at}: ${inspect(row)} and ${inspect(other.rows[at])}`;
    row.forEach((value, column) => {
      const isEqual = isEqualOf[column] ?? Object.is;
      assert.isTrue(isEqual(value, other.rows[at]?.[column] ?? null), pair);
    });
  });
}

/** The items of a SELECT as they are written; where one is a star no other is an aggregate. */
function itemsOf(text: string): readonly string[] {
  const statement = parseStatement(new QueryText(text));
  if (statement.kind !== 'select') return [];
  return statement.items.map(({ span }) => text.slice(span.start, span.end));
}

function mayDiffer(item: string, text: string): boolean {
  if (!hasFarValues.test(text)) return false;
  return adds.test(item) || (addsSeries.test(item) && text.includes('by_id'));
}

/** Compared with a sum that cancels, rounding is large. */
function isNear(left: Value, right: Value): boolean {
  if (isClose(left, right)) return true;
  return typeof left === 'number' && typeof right === 'number' && Math.abs(left - right) < 1e-8;
}
