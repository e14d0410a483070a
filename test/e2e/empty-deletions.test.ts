/** A deletion over times without samples masks nothing, and takes no room. */
import { assert } from 'chai';

import { killServers, startServer, temporaryDirectory } from '../support/server.js';

describe('a deletion over times without samples', () => {
  afterEach(killServers);

  it('leaves no tombstone, however many series it names', async () => {
    const { url } = await startServer({ dataDir: temporaryDirectory() });
    const post = async (target: string, body: string): Promise<string> => {
      const answer = await fetch(`${url}${target}`, { method: 'POST', body });
      assert.strictEqual(answer.status, 200, await answer.clone().text());
      return answer.text();
    };
    const tombstones = async (): Promise<number> => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^seriesdb_tombstones (\d+)$/m.exec(text)?.[1]);
    };
    const series = Array.from({ length: 2000 }, (_, at) =>
      JSON.stringify({ metric: 'm', labels: { n: String(at) }, ts: 1000, value: at }),
    );
    await post('/api/v1/ingest', series.join('\n'));
    for (let at = 0; at < 20; at++) {
      const range = `time between ${2000 + at * 10} and ${2009 + at * 10}`;
      const { rows } = JSON.parse(
        await post('/api/v1/seriesql', `delete from m where ${range}`),
      ) as { readonly rows: unknown };
      assert.deepEqual(rows, [[2000]]);
    }
    assert.strictEqual(await tombstones(), 0);
    await post('/api/v1/seriesql', 'delete from m where time between 1000 and 1001');
    assert.strictEqual(await tombstones(), 1);
  });
});
