/** The assignment of query slots on a busy server. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from 'chai';

import { printEntry } from '../../src/http/auth/token-file.js';
import { digestOf } from '../../src/http/auth/token.js';
import { Client } from '../support/client.js';
import { listenerFlags } from '../support/listener-threads.js';
import { askAndWait, bigLines, codeOf, heavyQueries, seriesqlPath } from '../support/long-query.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

/** Each keeps a core busy for seconds. */
const slowStatements = {
  compiled: `select ${Array.from({ length: 2400 }, (_, at) => `sum(value * ${at})`).join(', ')} from big where time >= 0`,
  legacy: heavyQueries.legacy,
};

/** Typical dashboard queries, all different. */
function politeTargets(at: number): readonly { target: string; body?: string }[] {
  const time = `time between ${at} and ${at + 1000}`;
  return [
    {
      target: seriesqlPath,
      body: `select max(value), count(distinct value) from big where ${time}`,
    },
    { target: seriesqlPath, body: `show label values for host from big limit ${at + 1}` },
    { target: `/api/v1/query?query=count(big%20%2B%20${at})&time=${at + 1}` },
    { target: '/api/v1/label/__name__/values' },
  ];
}

for (const [engine, listeners] of [
  ['compiled', 1],
  ['compiled', 2],
  ['legacy', 1],
] as const) {
  describe(`16 slow statements, ${engine}, ${listeners} threads`, function () {
    this.timeout(180_000);
    let server: Server;
    let client: Client;
    before(async () => {
      const args = [...listenerFlags(listeners), '--query-timeout-ms', '120000'];
      server = await startServer({ dataDir: temporaryDirectory(), args });
      client = new Client(server.port);
      for (const lines of bigLines()) await client.ingest(lines);
    });
    after(async () => {
      client.close();
      await killServers();
    });

    it('leave slots for short queries', async () => {
      const { port } = server;
      const slow = Array.from({ length: 16 }, () => askAndWait(port, slowStatements[engine]));
      const leave = await Promise.all(slow);
      await sleep(500);
      // A statement counts as slow once it has run for a while: longer on a busy machine.
      const deadline = performance.now() + 20_000;
      const body = politeTargets(0)[0]?.body ?? '';
      while (performance.now() < deadline) {
        const { status } = await client.request('POST', seriesqlPath, { body });
        if (status === 200) break;
        await sleep(100);
      }
      const codes: string[] = [];
      for (let round = 0; round < 4; round++) {
        for (const { target, body } of politeTargets(round)) {
          const wishes = body === undefined ? {} : { body };
          const answer = await client.request(body === undefined ? 'GET' : 'POST', target, wishes);
          codes.push(answer.status === 200 ? 'ok' : `${target} ${codeOf(answer)}`);
        }
      }
      // The slow ones still run: one more of them finds no slot.
      const more = await client.request('POST', seriesqlPath, { body: slowStatements[engine] });
      for (const go of leave) go();
      expect(codes).to.deep.equal(codes.map(() => 'ok'));
      expect([more.status, codeOf(more)]).to.deep.equal([503, 'too_many_queries']);
    });
  });
}

describe('tokens with many queries', function () {
  this.timeout(180_000);
  const folder = temporaryDirectory();
  const bearer = (name: string) => ({ authorization: `Bearer secret-${name}` });
  let server: Server;
  let client: Client;
  before(async () => {
    const file = path.join(folder, 'tokens.toml');
    const scopes = ['read', 'write'] as const;
    const entries = ['greedy', 'modest'].map((name) =>
      printEntry({ name, scopes, digest: digestOf(`secret-${name}`) }),
    );
    writeFileSync(file, entries.join(''));
    const args = ['--tokens-file', file, '--max-concurrent-queries', '2'];
    server = await startServer({ dataDir: temporaryDirectory(), args });
    client = new Client(server.port);
    for (const body of bigLines()) {
      await client.request('POST', '/api/v1/ingest', { body, headers: bearer('modest') });
    }
  });
  after(async () => {
    client.close();
    await killServers();
  });

  it('do not take the slot of a token without a query', async () => {
    const insert = { body: 'insert into n values (1, 1)' };
    const ask = (name: string) =>
      client.request('POST', seriesqlPath, { ...insert, headers: bearer(name) });
    const slow = [1, 2].map(() => askAndWait(server.port, slowStatements.legacy, bearer('greedy')));
    const leave = await Promise.all(slow);
    await sleep(500);
    const [modest, greedy] = await Promise.all(['modest', 'greedy'].map(ask));
    for (const go of leave) go();
    expect(modest && codeOf(modest)).to.equal('ok');
    expect(greedy && codeOf(greedy)).to.equal('too_many_queries');
  });
});
