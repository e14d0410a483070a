import { assert } from 'chai';

import { StoreCounts } from '../../src/bucket/store-counts.js';
import { nativeNames } from '../../src/storage/native/names.js';
import { bucketFigures, bucketStatus } from '../../src/telemetry/bucket-status.js';
import { bucketMetrics } from '../../src/telemetry/metric-names.js';

const stats = {
  ...{ bucket_epoch: 3, bucket_entry: 17, bucket_groups_total: 400, bucket_lag_seconds: 1.25 },
  ...{ bucket_unshipped_bytes: 64, bucket_shipped_bytes_total: 9000 },
  ...{ bucket_published_age_seconds: 0.5, bucket_fenced: 1, bucket_waiting: 2 },
  ...{ bucket_unavailable_total: 5, series: 7 },
};
const facts = {
  ...({ url: 's3://metrics/db', node: 'n', ack: 'local' } as const),
  requests: () => [],
  bytes: () => [],
};
const engine = (kinds: readonly string[], reasons: readonly string[]) => ({
  stats: () => stats,
  degradedKinds: () => kinds,
  degradedReasons: () => reasons,
});

describe('the bucket of a database', () => {
  it('has every metric if the engine has one, times in seconds, else none', () => {
    const found = bucketFigures(stats);
    assert.sameMembers(Object.keys(found), Object.keys(bucketMetrics));
    assert.strictEqual(found['bucket_lag_seconds'], 1.25);
    assert.strictEqual(found['bucket_unavailable_total'], 5);
    assert.deepEqual(bucketFigures({ series: 7 }), {});
  });

  it('is told with the reason why it lags', () => {
    const whole = { ...facts, failure: () => null };
    const told = bucketStatus(whole, engine([], []));
    assert.deepEqual(told, {
      ...{ url: 's3://metrics/db', role: 'owner', node: 'n', ack: 'local' },
      ...{ epoch: 3, entry: 17, lag_seconds: 1.25, unshipped_bytes: 64 },
      ...{ published_age_seconds: 0.5, fenced: true },
    });
    const lagging = bucketStatus(whole, engine(['disk', 'bucket'], ['full', '503 SlowDown']));
    assert.strictEqual(lagging.failure, '503 SlowDown');
    const lost = bucketStatus({ ...facts, failure: () => 'gone' }, engine(['bucket'], ['x']));
    assert.strictEqual(lost.failure, 'gone');
  });

  it('counts requests in memory that two threads share', () => {
    const one = new StoreCounts();
    const other = new StoreCounts(one.shared);
    other.count('beginUpload', 'notKnown', 0);
    other.count('get', 'done', 100);
    other.count('get', 'done', 11);
    const { storeOps, storeOutcomes } = nativeNames;
    assert.lengthOf(one.requests(), storeOps.length * storeOutcomes.length);
    const counted = one.requests().filter(({ count }) => count > 0);
    assert.deepEqual(counted, [
      { op: 'get', outcome: 'done', count: 2 },
      { op: 'begin_upload', outcome: 'not_known', count: 1 },
    ]);
    assert.deepEqual(
      one.bytes().filter(({ bytes }) => bytes > 0),
      [{ op: 'get', bytes: 111 }],
    );
  });
});
