/** A query ends when its client disconnects, and at its deadline, on both transports. */

import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from 'chai';

import { Client, type Answer } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';
import {
  askAndWait,
  bigLines,
  codeOf,
  heavyQueries,
  seriesqlPath as path,
} from '../support/long-query.js';

const manyRows = `select ${'time, value, '.repeat(8)} value from big where time >= 0`;

/** Waits until the server used so much CPU time since `from`. */
async function busyFor(server: Server, from: number, seconds: number): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (server.cpuSeconds() - from < seconds) {
    expect(performance.now(), 'the query is at work').to.be.below(deadline);
    await sleep(10);
  }
}

/**
 * Expects that no work continues: at once on a quiet machine, a little later on a busy one. The
 * queries here would run for seconds of CPU time.
 */
async function expectIdle(server: Server): Promise<void> {
  const deadline = performance.now() + 2000;
  for (;;) {
    const before = server.cpuSeconds();
    await sleep(300);
    const used = server.cpuSeconds() - before;
    if (used < 0.05) return;
    expect(performance.now(), `the server still works, ${used} s of 0.3`).to.be.below(deadline);
  }
}

for (const transport of ['uws', 'node'] as const) {
  for (const mode of ['compiled', 'legacy', 'shadow'] as const) {
    describe(`a client that disconnects, ${transport}, ${mode}`, function () {
      this.timeout(60_000);
      const directory = temporaryDirectory();
      let server: Server;
      let client: Client;
      before(async () => {
        const args = ['--transport', transport, '--query-compiler-mode', mode];
        const limits = ['--max-concurrent-queries', '1', '--answer-timeout-ms', '200'];
        // A write may take longer than a query's deadline here if the disk is busy.
        const loading = await startServer({ dataDir: directory, args });
        const loader = new Client(loading.port);
        for (const lines of bigLines()) await loader.ingest(lines);
        loader.close();
        await loading.kill();
        server = await startServer({ dataDir: directory, args: [...args, ...limits] });
        client = new Client(server.port);
      });
      after(async () => {
        client.close();
        await killServers();
        removeDirectory(directory);
      });
      const query = (body: string): Promise<Answer> => client.request('POST', path, { body });

      it('stops a query that computes', async () => {
        const before = server.cpuSeconds();
        const giveUp = await askAndWait(server.port, heavyQueries[mode]);
        await busyFor(server, before, 0.15);
        giveUp();
        await expectIdle(server);
        expect(codeOf(await query('select 1'))).to.equal('ok');
      });

      it('stops a query in the middle of its rows', async () => {
        const giveUp = await askAndWait(server.port, manyRows);
        await sleep(500);
        giveUp();
        await expectIdle(server);
        expect(codeOf(await query('select 1'))).to.equal('ok');
      });

      it('gives up its place in the queue', async () => {
        const before = server.cpuSeconds();
        const giveUp = await askAndWait(server.port, heavyQueries[mode]);
        await busyFor(server, before, 0.05);
        const leaveLine = await askAndWait(server.port, heavyQueries[mode]);
        const last = query('select 1');
        await sleep(100);
        leaveLine();
        await sleep(50);
        giveUp();
        expect(codeOf(await last)).to.equal('ok');
        await expectIdle(server);
      });
    });
  }

  describe(`the time limit of a query, ${transport}`, function () {
    this.timeout(60_000);
    const directory = temporaryDirectory();
    let server: Server;
    let client: Client;
    before(async () => {
      const limits = ['--query-timeout-ms', '700', '--answer-timeout-ms', '700'];
      const args = [...limits, '--max-concurrent-queries', '1', '--transport', transport];
      server = await startServer({ dataDir: directory, args });
      client = new Client(server.port);
      for (const lines of bigLines()) await client.ingest(lines);
    });
    after(async () => {
      client.close();
      await killServers();
      removeDirectory(directory);
    });

    it('applies before the answer timeout, in both engines and in the queue', async () => {
      for (const body of [heavyQueries.compiled, heavyQueries.legacy, heavyQueries.compiled]) {
        const started = performance.now();
        // The second waits for the first until its own deadline.
        const answers = await Promise.all(
          [body, 'select 1'].map((text) => client.request('POST', path, { body: text })),
        );
        const took = performance.now() - started;
        expect(answers.map(codeOf)[0]).to.equal('query_timeout');
        expect(answers[0]?.status).to.equal(504);
        expect(answers.map(codeOf)[1]).to.be.oneOf(['query_timeout', 'ok']);
        expect(took).to.be.within(690, 5000);
      }
      await expectIdle(server);
    });
  });
}
