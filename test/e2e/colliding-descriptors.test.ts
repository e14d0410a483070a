/** Long descriptions of metrics whose names share one bucket of the tree, through `kill -9`. */

import { assert } from 'chai';

import { codeOf } from '../support/long-query.js';
import { ServerOfTest } from '../support/server-of-test.js';

import type { Answer } from '../support/client.js';

/** Names `m<number>` for which `xxh64(name) % 4096` is 7. */
const numbers = `
  2124 2422 15921 30515 41458 55473 59739 60274 70053 73664 76303 79032 100772 113226 114776
  120044 120956 121765 127609 129245 139712 141611 149431 150614 150915 155146 159938 165543
  184405 187889 192497 196330 202877 210494 215378 223667 224272 232162 234698 235794 236551
  245500 245881 246186 247610 256794 259358 263014 273375 276289 279264 286694 294349 301206
  302416 304154 309339 314588 324325 331112 333243 333302 333739 334073 334140 335397 340569
  347859 350566 351534 353295 356189 366362 370913 379533 386320 390770 399290 402203 414473
  417380 418042 438576 443677 448147 449962 455218 455746 456742 457661 458678 459448 463349
  463620 466485 467499 468136 469085 469639 470753 471647 483940 489701 491120 491829 491933
  491976 501796 508035 523592 526700 526928 527282 527783 528275 528668 529225 533662 537522
  538423 541173 542494 542652 547300 548092 549939 554745 560721 560842 564364 564706 566063
  567987 571853 572186 576321 582269 589392 589852 590326
`
  .trim()
  .split(/\s+/);

const descriptionBytes = 122_000;
/** Together they exceed one log record, 16 MiB, and one leaf of the tree, 1 MiB. */
const metrics = numbers.map((number) => `m${number}`);

describe('long descriptors of metric names that share a hash bucket', function () {
  this.timeout(120_000);
  const own = ServerOfTest.forEach();
  const start = async (...args: string[]): Promise<void> => {
    await own.start('--max-line-bytes', '131072', ...args);
  };
  const described = (metric: string): string => `${metric} ${'.'.repeat(descriptionBytes)}`;
  const ingest = async (some: readonly string[]): Promise<Answer> => {
    const line = (metric: string): string =>
      JSON.stringify({ metric, description: described(metric), ts: 1, value: 1 });
    const body = some.map((metric) => `${line(metric)}\n`).join('');
    return await own.client.request('POST', '/api/v1/ingest', { body });
  };
  const expectDescribed = async (some: readonly string[]): Promise<void> => {
    const { status, body } = await own.client.get('/api/v1/metadata?limit=1000');
    assert.strictEqual(status, 200, body.slice(0, 200));
    const { data } = JSON.parse(body) as { data: Record<string, [{ help: string }]> };
    assert.sameMembers(Object.keys(data), [...some]);
    const wrong = some.filter((metric) => data[metric]?.[0].help !== described(metric));
    assert.deepEqual(wrong, []);
  };

  it('survive two kills, flushed or in the WAL', async () => {
    await start();
    const some = metrics.filter((_, at) => at % 70 !== 0);
    assert.strictEqual((await ingest(some)).status, 200);
    assert.strictEqual((await own.server.stop()).code, 0, 'a stop flushes');
    await start();
    // Written after the flush, so only in the log.
    assert.strictEqual((await ingest(metrics.filter((_, at) => at % 70 === 0))).status, 200);
    for (let times = 0; times < 2; times += 1) {
      await own.server.kill();
      await start();
      await expectDescribed(metrics);
    }
  });

  it('past an eighth of the memory limit are rejected with a named error', async () => {
    await start('--memory-limit-bytes', String(64 << 20));
    assert.strictEqual((await ingest(metrics.slice(0, 60))).status, 200);
    const refused = await ingest(metrics.slice(60, 80));
    assert.deepEqual([refused.status, codeOf(refused)], [422, 'series_limit'], refused.body);
    await own.server.kill();
    await start('--memory-limit-bytes', String(64 << 20));
    await expectDescribed(metrics.slice(0, 60));
  });
});
