/** Bodies of samples from other programs: no sample is lost silently. */
import { gzipSync } from 'node:zlib';

import { assert } from 'chai';

import { SeriesDbClient } from '../../src/client/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

describe('sample bodies in the style of other programs', function () {
  this.timeout(60_000);
  let folder = '';
  let url = '';
  let client: SeriesDbClient;

  before(async () => {
    folder = temporaryDirectory();
    ({ url } = await startServer({ dataDir: folder }));
    client = new SeriesDbClient({ url });
  });
  after(async () => {
    await killServers();
    removeDirectory(folder);
  });

  async function post(
    body: string | Uint8Array<ArrayBuffer>,
    path = '/api/v1/ingest',
  ): Promise<string> {
    return await (await fetch(`${url}${path}`, { method: 'POST', body })).text();
  }

  it('keep series apart by tags beside a metric, and by labels beside a series', async () => {
    const lines = ['a', 'b'].flatMap((host) => [
      JSON.stringify({ metric: 'x.tags', tags: { host }, ts: 1, value: 1 }),
      JSON.stringify({ series: 'x.labels', labels: { host }, ts: 1, value: 1 }),
    ]);
    assert.strictEqual(await post(lines.join('\n')), '{"ingested":4}');
    for (const metric of ['x.tags', 'x.labels']) {
      const labels = (await client.findSeries({ metric })).map((one) => one.labels);
      assert.sameDeepMembers(labels, [{ host: 'a' }, { host: 'b' }], metric);
    }
    const both = { metric: 'x.both', labels: { a: '1' }, tags: { b: '2' }, ts: 1, value: 1 };
    assert.include(await post(JSON.stringify(both)), 'both \\"labels\\" and \\"tags\\"');
  });

  it('sent as an array, pretty JSON or gzip get an error that says what to change', async () => {
    const point = { metric: 'm', ts: 1, value: 1 };
    assert.include(await post(JSON.stringify([point])), 'send one object per line');
    assert.include(await post(JSON.stringify(point, null, 2)), 'a line holds one whole object');
    for (const path of ['/api/v1/ingest', '/api/v1/ingest?on_error=skip', '/write']) {
      const answer = await post(new Uint8Array(gzipSync(JSON.stringify(point))), path);
      assert.include(answer, 'send the header Content-Encoding: gzip', path);
    }
  });
});
