/** The minimum number of buckets in a range, computed without a walk over them. */
import { assert } from 'chai';

import { databaseTime } from '../../../src/common/model/timestamp-unit.js';
import { bucketStart, fewestBuckets, nextBucket } from '../../../src/query/seriesql/plan/bucket.js';
import { Random, testSeed } from '../../support/random.js';

import type { TimeBucket } from '../../../src/query/seriesql/plan/plan.js';

const zones = ['Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Antarctica/Troll'];

function randomBucket(random: Random): TimeBucket {
  const zone = zones[random.below(zones.length)] ?? 'Europe/Berlin';
  const count = 1 + random.below(9);
  switch (random.below(3)) {
    case 0:
      return { kind: 'days', count, offset: random.below(count), zone };
    case 1:
      return { kind: 'months', count, zone };
    default: {
      const width = databaseTime(BigInt(1 + random.below(100_000)));
      return { kind: 'fixed', width, origin: databaseTime(BigInt(random.below(1000))) };
    }
  }
}

function walked(bucket: TimeBucket, start: bigint, end: bigint): bigint {
  let count = 0n;
  let at = bucketStart(bucket, start, 's');
  while (at !== null && at <= end) {
    count += 1n;
    at = nextBucket(bucket, at, 's');
  }
  return count;
}

describe('the fewest buckets of a range', () => {
  it(`are a tight lower bound (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 300; round++) {
      const bucket = randomBucket(random);
      const span = bucket.kind === 'fixed' ? 10_000 * Number(bucket.width) : 400_000_000;
      const start = databaseTime(BigInt(random.below(1_600_000_000)));
      const length = BigInt(random.below(Math.min(span, 400_000_000)));
      const end = databaseTime(start + length);
      const count = walked(bucket, start, end);
      const fewest = fewestBuckets(bucket, { start, end }, 's');
      const told = `round ${round}: ${bucket.kind}, ${fewest} of ${count}`;
      assert.isTrue(fewest <= count && fewest >= 1n, told);
      assert.isTrue(count <= 2n * fewest + 2n, told);
      if (bucket.kind === 'fixed') assert.isTrue(count <= fewest + 1n, told);
    }
  });

  it('are zero for an empty range', () => {
    const [zero, one, five] = [databaseTime(0n), databaseTime(1n), databaseTime(5n)];
    const bucket = { kind: 'fixed', width: five, origin: zero } as const;
    assert.strictEqual(fewestBuckets(bucket, { start: one, end: zero }, 's'), 0n);
  });
});
