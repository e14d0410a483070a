/** A listener thread that runs out of memory ends alone, and another takes its place. */
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { ask } from '../support/admin-server.js';
import { allThreadsServe, askingOf, listenerFlags } from '../support/listener-threads.js';
import { bigLines, seriesqlPath } from '../support/long-query.js';
import {
  isSanitized,
  killServers,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

/** Holds 10 million values of the interpreter, some 80 MB. */
const greedy = `select ${Array.from({ length: 24 }, (_, at) => `percentile(value * ${at}, 0.5)`).join(', ')} from big where time >= 0`;

describe('a listener thread out of memory', function () {
  this.timeout(120_000);
  let server: Server;
  before(async function () {
    if (isSanitized) this.skip();
    server = await startServer({
      dataDir: temporaryDirectory(),
      args: [...listenerFlags(2), '--query-compiler-mode', 'legacy'],
      env: { SDB_TEST_LISTENER_HEAP: '40' },
    });
    await allThreadsServe(askingOf(server.port), 2);
  });
  after(killServers);

  const metric = async (name: string): Promise<number> => {
    const { body } = await ask(server.port, '/metrics');
    return Number(new RegExp(`^seriesdb_${name} (\\S+)$`, 'm').exec(body)?.[1]);
  };
  /** The status; 0 where the connection was cut. */
  const status = async (body: string): Promise<number> => {
    try {
      return (await ask(server.port, seriesqlPath, { method: 'POST', body })).status;
    } catch {
      return 0;
    }
  };
  const post = (body: string) => ask(server.port, '/api/v1/ingest', { method: 'POST', body });

  it('loses its connections, and is replaced', async () => {
    for (const lines of bigLines()) assert.strictEqual((await post(lines)).status, 200);
    for (let lost = 1; lost <= 2; lost++) {
      // Each thread gets one.
      const outcomes = await Promise.all([greedy, greedy].map(status));
      assert.deepEqual(outcomes.sort(), [0, 200]);
      while ((await metric('listeners_replaced_total')) < lost) await sleep(50);
    }
    assert.strictEqual(await metric('listeners_replaced_total'), 2);
    // The places of its queries are free again.
    const many = await Promise.all(
      Array.from({ length: 16 }, () => status('select count(*) from big where time < 9')),
    );
    assert.deepEqual(
      many,
      many.map(() => 200),
    );
    const told = server
      .printed()
      .split('\n')
      .filter((line) => line.includes('out of memory'));
    assert.lengthOf(told, 1);
    assert.strictEqual((await post('{"metric":"m","labels":{},"ts":1,"value":1}\n')).status, 200);
    const { code } = await server.stop();
    assert.strictEqual(code, 0);
  });
});
