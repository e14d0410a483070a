/** The text of ranges, short and long, against a naive printer, byte by byte. */
import { assert } from 'chai';

import { ask } from '../support/admin-server.js';
import { Random, testSeed } from '../support/random.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const kSamples = 60_000;
const kStepMs = 10_000;
const kFirst = 1_699_990_000_000;

/** Walks of integers and of two-digit decimals, then random doubles. */
function valuesOf(random: Random): readonly number[] {
  let walk = 50;
  return Array.from({ length: kSamples }, (_, at) => {
    walk += random.below(7) - 3;
    if (at < kSamples / 3) return walk;
    return at < (2 * kSamples) / 3 ? walk / 100 : random.unit() * 10 ** (random.below(33) - 9);
  });
}

describe(`the text of a range (seed ${String(testSeed)})`, function () {
  this.timeout(60_000);
  const random = new Random(testSeed);
  const values = valuesOf(random);
  let server: Server;

  const lineOf = (value: number, at: number): string =>
    `{"metric":"m","ts":${String(kFirst + at * kStepMs)},"value":${JSON.stringify(value)}}`;
  /** Prints numbers as the language does, without the plus sign of an exponent. */
  const textOf = (from: number, to: number): string =>
    JSON.stringify(
      values.slice(from, to).map((value, at) => ({ ts: kFirst + (from + at) * kStepMs, value })),
    ).replaceAll('e+', 'e');

  before(async () => {
    const dataDir = temporaryDirectory();
    server = await startServer({ dataDir });
    const body = values.map(lineOf).join('\n');
    const { status } = await ask(server.port, '/api/v1/ingest', { method: 'POST', body });
    assert.strictEqual(status, 200);
    await isRight(0, kSamples);
    // Chunks of segments decide what is a short read.
    await server.stop();
    server = await startServer({ dataDir });
  });
  after(killServers);

  async function isRight(from: number, to: number): Promise<void> {
    const [start, end] = [from, to - 1].map((at) => String(kFirst + at * kStepMs));
    const query = `metric=m&start=${String(start)}&end=${String(end)}`;
    const headers = { 'accept-encoding': random.pick(['identity', 'gzip']) };
    const answer = await fetch(`${server.url}/api/v1/query/range?${query}`, { headers });
    // assert.strictEqual would print both texts.
    const isSame = (await answer.text()) === textOf(from, to);
    assert.isTrue(isSame, `of ${String(from)} to ${String(to)}`);
  }

  it('is complete and has a Content-Length for one day', async () => {
    const [start, end] = [100, 8_739].map((at) => String(kFirst + at * kStepMs));
    const query = `metric=m&start=${String(start)}&end=${String(end)}`;
    const plain = { headers: { 'accept-encoding': 'identity' } };
    const answer = await fetch(`${server.url}/api/v1/query/range?${query}`, plain);
    const text = await answer.text();
    assert.isTrue(text === textOf(100, 8_740));
    assert.strictEqual(answer.headers.get('content-length'), String(text.length));
  });

  it('is correct for any part, and for several at once', async () => {
    const parts = Array.from({ length: 40 }, () => {
      const from = random.below(kSamples);
      const most = random.pick([2, 500, 9_000, 20_480, kSamples]);
      return [from, Math.min(kSamples, from + 1 + random.below(most))] as const;
    });
    await Promise.all(parts.map(([from, to]) => isRight(from, to)));
    await isRight(0, kSamples);
  });
});
