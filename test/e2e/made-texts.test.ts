/**
 * Texts that PromQL queries build. If a text exceeds a label's limit or the query's memory, the
 * query fails by name. The server survives with bounded memory and answers other clients.
 */

import { expect } from 'chai';

import { kMadeTextMax } from '../../src/query/limits/made-text.js';
import { kIdentitySizeMax } from '../../src/common/model/names.js';
import { AttackedServer, requireRefused, requireTurns } from '../support/attacked-server.js';

const kDigits = '9'.repeat(14_000);

const labels = (text: string, count: number): string =>
  Array.from({ length: count }, () => `"${text}"`).join(',');

function nested(depth: number, replacement: string): string {
  return `${'label_replace('.repeat(depth)}one${`,"a","${replacement}","a","(.*)")`.repeat(depth)}`;
}

describe('strings built by PromQL', function () {
  this.timeout(120_000);
  let server: AttackedServer;
  before(async () => {
    server = await AttackedServer.start();
  });
  after(() => server.end());

  const refusals = [
    [
      'label_join of a long text, 50 times',
      `count(label_join(wide,"x","${'s'.repeat(20_000)}",${labels('i', 50)}))`,
    ],
    [
      'label_join of texts that are long together',
      `count(label_join(wide,"x","",${labels('a', 2000)}))`,
    ],
    ['label_replace that doubles, 26 deep', nested(26, '$1$1')],
    ['label_replace by a long text', `label_replace(one,"x","${'s'.repeat(16_384)}","a",".*")`],
    ['label_replace of many groups', `label_replace(one,"x","${'$1'.repeat(2000)}","a","(.*)")`],
  ] as const;
  for (const [name, query] of refusals) {
    it(`over the limit are rejected before they are built: ${name}`, async () => {
      const { answer, cpuSeconds } = await server.attacked(() => server.promql(query));
      requireRefused(answer, /more than 16383 bytes/);
      expect(cpuSeconds).to.be.below(3);
    });
  }

  it('are as long as a label may be, and no longer', async () => {
    const joined = (size: number): string =>
      `label_join(one,"x","${'s'.repeat((size - 30) / 2)}","a","a","a")`;
    const longest = await server.promql(joined(16_382));
    expect(longest.status).to.equal(200);
    expect(longest.body).to.have.length.above(16_382);
    expect((await server.promql(joined(16_384))).status).to.equal(422);
    const wider = `label_join(one,"x","${'é'.repeat(8192)}","a","b")`;
    expect((await server.promql(wider)).status).to.equal(422);
  });

  it('are at most as long as ingest allows for a series', async () => {
    const sizes = [kIdentitySizeMax, kIdentitySizeMax + 1];
    const stored = await Promise.all(sizes.map((size) => server.store('m', 'k', size)));
    expect(stored.map(({ status }) => status)).to.deep.equal([200, 400]);
    expect(kMadeTextMax).to.be.below(kIdentitySizeMax);
  });

  it('share one limit: many long ones are rejected with a named error', async () => {
    const many = `label_join(wide,"x","${'s'.repeat(6000)}","i","a","a")`;
    const { answer } = await server.attacked(() =>
      server.promql(`count(${many} or ${many.replace('"x"', '"y"')})`),
    );
    requireRefused(answer, /more than \d+ bytes of texts; .* memory_limit_bytes/);
  });

  it('of concurrent queries share one limit, and are released', async () => {
    const half = `count(label_join(wide,"x","${'s'.repeat(14_000)}","i","a"))`;
    const { answer } = await server.attacked(async () => {
      const all = await Promise.all(Array.from({ length: 12 }, () => server.promql(half)));
      for (const one of all) expect([200, 422]).to.include(one.status);
      return server.promql(half);
    });
    expect(answer.status, answer.body.slice(0, 200)).to.equal(200);
  });

  for (const [name, query] of [
    ['sorted and printed', `label_join(wide,"x","${'s'.repeat(14_000)}","a","i")`],
    [
      'sorted by numbers',
      `count(sort_by_label(label_join(wide{i=~"[1-3].*"},"x","${kDigits}","a","i"),"x"))`,
    ],
    [
      'chosen by a hash',
      `count(limit_ratio(0.5, label_join(wide,"x","${'s'.repeat(14_000)}","a","i")))`,
    ],
    [
      'matched by a pattern',
      `count(label_replace(label_join(wide{i=~"1.*"},"x","${'s'.repeat(5000)}","a","i"),"y","$2","x","(.*)s(.*)"))`,
    ],
  ] as const) {
    it(`do not block other queries while they are ${name}`, async () => {
      const attacked = await server.attacked(() => server.promql(query));
      const { answer } = attacked;
      expect(answer.status, answer.body.slice(0, 200)).to.equal(200);
      requireTurns(attacked);
    });
  }

  it('are not matched by a pattern that takes too much work at once', async () => {
    const words = Array.from({ length: 400 }, (_, i) => `w${i}x`).join('|');
    const made = `label_join(one,"x","${'s'.repeat(15_000)}","a","a")`;
    const answer = await server.promql(`label_replace(${made},"y","$1","x","(?:${words}|.)*(.)")`);
    requireRefused(answer, /regular expression of \d+ steps.* is too much work/);
  });

  it('are not split by a pattern whose groups take too much work at once', async () => {
    const made = `label_join(one,"x","${'s'.repeat(12_000)}","a","a")`;
    const groups = '(.*)'.repeat(160);
    const { answer, cpuSeconds } = await server.attacked(() =>
      server.promql(`label_replace(${made},"y","$1","x","${groups}9")`),
    );
    requireRefused(answer, /regular expression of \d+ steps and 160 groups is too much work/);
    expect(cpuSeconds).to.be.below(1);
  });
});
