/**
 * Texts that SeriesQL queries build. If a text exceeds a label's limit or the query's memory, the
 * query fails by name. The server survives with bounded memory and answers other clients.
 */

import { expect } from 'chai';

import { AttackedServer, requireRefused, requireTurns } from '../support/attacked-server.js';

describe('strings built by SeriesQL', function () {
  this.timeout(120_000);
  let server: AttackedServer;
  before(async () => {
    server = await AttackedServer.start();
  });
  after(() => server.end());

  const long = 's'.repeat(15_000);
  const tooLong = 's'.repeat(60_000);
  const from = 'from wide where time >= 0';
  for (const [name, query] of [
    ['as a key', `select concat(tag.i,'${tooLong}') as k, count(*) ${from} group by k`],
    ['in the order', `select tag.i, value ${from} order by concat(tag.i,'${tooLong}')`],
    ['of a constant', `select concat('a','${tooLong}')`],
    ['of replace', `select count(distinct replace(tag.a,'a','${'b'.repeat(2000)}')) ${from}`],
    ['of upper', `select count(distinct upper(concat(tag.a,'${'ŉ'.repeat(8000)}'))) ${from}`],
  ] as const) {
    it(`over the limit are rejected before they are built: ${name}`, async () => {
      const { answer, cpuSeconds } = await server.attacked(() => server.seriesql(query));
      requireRefused(answer, /more than 16383 bytes/);
      expect(cpuSeconds).to.be.below(3);
    });
  }

  for (const [name, query] of [
    [
      'keys',
      `select concat(tag.i,'${long}') as k, concat('${long}',tag.i) as l, count(*) ${from} group by k, l limit 1`,
    ],
    [
      'keys of samples',
      `select concat(cast(value as string),'${long}') as k, concat('${long}',tag.i) as l, count(*) ${from} group by k, l limit 1`,
    ],
    [
      'an order',
      `select tag.i, value ${from} order by concat(tag.i,'${long}'), concat('${long}',tag.i), 1`,
    ],
    [
      'distinct values',
      `select count(distinct concat(cast(value as string),'${long}')), count(distinct concat('${long}',tag.i)) ${from}`,
    ],
    [
      'largest values',
      `select tag.i as k, max(concat(cast(value as string),'${long}')), first(concat('${long}',cast(value as string))) ${from} group by k`,
    ],
    ['windows', `select *, lag(concat(tag.i,'${long}')), lag(concat('${long}',tag.i)) ${from}`],
  ] as const) {
    it(`share one limit: ${name}`, async () => {
      const attacked = await server.attacked(() => server.seriesql(query));
      const { answer } = attacked;
      requireRefused(answer, /more than \d+ bytes of texts; .* memory_limit_bytes/);
      requireTurns(attacked);
    });
  }

  for (const [name, query] of [
    ['keys', `select concat('${long}',tag.i) as k, count(*) ${from} group by k limit 1`],
    [
      'keys of samples',
      `select concat('${long}',cast(value as string)) as k, count(*) ${from} group by k limit 1`,
    ],
    ['an order', `select tag.i, value ${from} order by concat('${long}',tag.i) limit 1`],
    ['distinct values', `select count(distinct concat('${long}',tag.i)) ${from}`],
    [
      'like',
      `select count(*) from wide{i=~'^1..$'} where time >= 0 and concat('${long}',tag.i) not like '%${'s'.repeat(250)}x'`,
    ],
    ['patterns', `select count(*) ${from} and concat('${long}',tag.i) =~ '(s+s)+1'`],
    [
      'rows',
      `select concat('${long}',tag.i), concat('${long}',tag.a) from wide{i=~'1.*'} where time >= 0`,
    ],
  ] as const) {
    it(`do not block other queries: ${name}`, async () => {
      const attacked = await server.attacked(() => server.seriesql(query));
      const { answer } = attacked;
      expect(answer.status, answer.body.slice(0, 200)).to.equal(200);
      requireTurns(attacked);
    });
  }

  for (const [name, test] of [
    ['like', `like '%${'s'.repeat(250)}x'`],
    ['patterns', `!~ '(?i)s(a|s)*a(a|s){10}c'`],
  ] as const) {
    it(`are rejected if one row takes too much work: ${name}`, async () => {
      expect((await server.store('big', 'k', 13_000)).status).to.equal(200);
      const tests = Array.from({ length: 200 }, () => `(concat(tag.k,'a') ${test})`);
      const query = `select ${tests.join(',')} from big where time >= 0`;
      const { answer, cpuSeconds } = await server.attacked(() => server.seriesql(query));
      requireRefused(answer, /texts of one row take too much work/);
      expect(cpuSeconds).to.be.below(1);
    });
  }

  it('let a later query with short rows pass', async () => {
    const held = `select ${nestedCalls('upper', 60)} from big where time >= 0`;
    const statement = 'select tag.a as k, first(value) from one where time >= 0 group by k limit 3';
    expect((await server.store('big', 'k', 13_000)).status).to.equal(200);
    const before: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      before.push(await server.answeredBefore(statement, { attack: held, count: 8 }));
    }
    expect(before.sort()[2], before.join()).to.be.below(4);
  });

  it('are not matched by a pattern that takes too much work at once', async () => {
    const words = Array.from({ length: 400 }, (_, i) => `w${i}x`).join('|');
    const test = `concat('${long}',tag.i) =~ '(?:${words}|.)*'`;
    const answer = await server.seriesql(`select count(*) ${from} and ${test}`);
    requireRefused(answer, /regular expression of \d+ steps.* is too much work/);
  });
});

function nestedCalls(name: string, depth: number): string {
  return `${`${name}(`.repeat(depth)}tag.k${')'.repeat(depth)}`;
}
