/** Annotations through a real server: search, and persistence over a restart. */
import { assert } from 'chai';

import { Client } from '../support/client.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

describe('annotations in a real server', () => {
  const dataDir = temporaryDirectory();
  let server: Server;
  let client: Client;
  const start = async () => {
    server = await startServer({ dataDir });
    client = new Client(server.port);
  };
  const write = async (body: string) => {
    const answer = await client.postJson('/api/v1/annotations/write', body);
    assert.strictEqual(answer.status, 201, answer.body);
    return answer.body;
  };
  const query = async (body: string) => {
    const answer = await client.postJson('/api/v1/annotations/query', body);
    assert.strictEqual(answer.status, 200, answer.body);
    return answer.body;
  };
  const idsOf = async (body: string) =>
    [...(await query(body)).matchAll(/\{"id":(\d+),/g)].map(([, id]) => Number(id));
  before(start);
  after(killServers);

  it('finds nothing in an empty database, and assigns ids from 1', async () => {
    assert.strictEqual(await query('{}'), '[]');
    assert.strictEqual(
      await write(
        '{"kind":"deploy","title":"one \\"1\\"","message":"é\\n","metric":"cpu","start":100,"end":200,' +
          '"labels":{"b":"2","a":1}}',
      ),
      '{"id":1,"kind":"deploy","title":"one \\"1\\"","message":"é\\n","metric":"cpu",' +
        '"start":100,"end":200,"labels":{"a":"1","b":"2"}}',
    );
    assert.strictEqual(
      await write('{"kind":"note","title":"two","start":9007199254740993}'),
      '{"id":2,"kind":"note","title":"two","start":9007199254740993,"end":9007199254740993,' +
        '"labels":{}}',
    );
    const ends = '"start":-9223372036854775808,"end":9223372036854775807';
    const whole = await write(`{"kind":"note","title":"three",${ends},"labels":{"a":"1"}}`);
    assert.include(whole, `{"id":3,"kind":"note","title":"three",${ends},`);
    await write('{"kind":"Note","title":"four","metric":"mem","start":100,"labels":{"b":"2"}}');
  });

  const found: readonly (readonly [string, readonly number[]])[] = [
    ['{}', [3, 1, 4, 2]],
    ['{"labels":{}}', [3, 1, 4, 2]],
    // Both ends are inclusive, on both sides.
    ['{"start":200,"end":200}', [3, 1]],
    ['{"start":201,"end":9007199254740992}', [3]],
    ['{"start":9007199254740993}', [3, 2]],
    ['{"start":9007199254740994}', [3]],
    ['{"end":99}', [3]],
    ['{"end":100}', [3, 1, 4]],
    ['{"start":9223372036854775807}', [3]],
    ['{"end":-9223372036854775808}', [3]],
    ['{"kind":"note"}', [3, 2]],
    ['{"kind":"Note"}', [4]],
    ['{"kind":"no"}', []],
    ['{"metric":"cpu"}', [1]],
    ['{"metric":"disk"}', []],
    ['{"labels":{"a":"1"}}', [3, 1]],
    ['{"labels":{"a":1,"b":"2"}}', [1]],
    ['{"labels":{"a":"1","b":"2"},"op":"or"}', [3, 1, 4]],
    ['{"labels":{"a":"9","b":"9"},"op":"or"}', []],
    ['{"labels":{"a":"1"},"kind":"note"}', [3]],
    ['{"limit":0}', []],
    ['{"limit":2}', [3, 1]],
    ['{"limit":99}', [3, 1, 4, 2]],
    ['{"start":150,"labels":{"a":"1"},"op":"or","limit":2}', [3, 1]],
  ];
  const checkAll = async () => {
    for (const [body, ids] of found) assert.deepEqual(await idsOf(body), ids, body);
  };

  it(
    'finds by overlap, kind, metric, labels and op, sorted by start and id, cut by limit',
    checkAll,
  );

  it('keeps annotations through kill -9 and through a clean stop', async () => {
    const text = await query('{}');
    client.close();
    await server.kill();
    await start();
    assert.strictEqual(await query('{}'), text);
    await client.ingest('{"metric":"m","ts":1,"value":1}\n');
    client.close();
    assert.strictEqual((await server.stop()).code, 0);
    await start();
    assert.strictEqual(await query('{}'), text);
    await checkAll();
    assert.include(await write('{"kind":"k","title":"five","start":0}'), '{"id":5,');
  });

  it('updates and deletes an annotation permanently', async () => {
    const ask = async (what: string, body: string) => {
      const { status, body: text } = await client.postJson(`/api/v1/annotations/${what}`, body);
      return `${status} ${text.replace(/^.*"code":"([a-z_]+)".*$/, '$1')}`;
    };
    const other = '"kind":"deploy","title":"other","start":50,"end":60,"labels":{"z":"1"}';
    assert.strictEqual(await ask('update', `{"id":4,${other}}`), `200 {"id":4,${other}}`);
    assert.strictEqual(
      await ask('update', `{"id":4,${other.replace('other', 'third')}}`).then((answer) =>
        answer.slice(0, 3),
      ),
      '200',
    );
    const two =
      '{"id":2,"kind":"note","title":"two","start":9007199254740993,"end":9007199254740993,' +
      '"labels":{}}';
    assert.strictEqual(await ask('delete', '{"id":2}'), `200 ${two}`);
    const check = async () => {
      assert.deepEqual(await idsOf('{}'), [3, 5, 4, 1]);
      assert.deepEqual(await idsOf('{"kind":"Note"}'), []);
      assert.include(await query('{"start":50,"end":60,"labels":{"z":1}}'), '"title":"third"');
      const gone = [
        ...['{"id":2}', '{"id":0}', '{"id":6}', '{"id":99}', '{"id":18446744073709551615}'],
      ];
      for (const body of gone) {
        assert.strictEqual(await ask('delete', body), '404 annotation_not_found', body);
      }
      assert.strictEqual(await ask('update', `{"id":2,${other}}`), '404 annotation_not_found');
      assert.strictEqual(await ask('update', `{${other}}`), '400 missing_id');
      assert.strictEqual(await ask('delete', '{"id":"4"}'), '400 invalid_id');
    };
    await check();
    client.close();
    await server.kill();
    await start();
    await check();
    await client.ingest('{"metric":"m","ts":2,"value":1}\n');
    client.close();
    assert.strictEqual((await server.stop()).code, 0);
    await start();
    await check();
    // The changes took the ids between.
    assert.include(await write('{"kind":"k","title":"nine","start":0}'), '{"id":9,');
  });

  it('concurrent deletes of an annotation succeed once, and later updates fail', async () => {
    const clients = Array.from({ length: 4 }, () => new Client(server.port));
    const ask = async (at: number, what: string, body: string) => {
      const answer = await clients[at]?.postJson(`/api/v1/annotations/${what}`, body);
      return answer?.status;
    };
    for (let round = 0; round < 20; round++) {
      const stored = await write('{"kind":"race","title":"t","start":1}');
      const id = /"id":(\d+)/.exec(stored)?.[1] ?? '';
      const other = `{"id":${id},"kind":"race","title":"u","start":1}`;
      const updates = [0, 1].map(async (at) => ask(at, 'update', other));
      const deletions = [2, 3].map(async (at) => ask(at, 'delete', `{"id":${id}}`));
      assert.sameMembers(await Promise.all(deletions), [200, 404]);
      for (const status of await Promise.all(updates)) assert.include([200, 404], status);
    }
    assert.strictEqual(await query('{"kind":"race"}'), '[]');
    clients.forEach((one) => {
      one.close();
    });
  });

  it('streams annotations once each and in order during concurrent writes', async () => {
    const message = 'x'.repeat(1000);
    const writeMany = async (count: number) => {
      for (let at = 0; at < count; at++) {
        await write(`{"kind":"many","title":"${at}","message":"${message}","start":${at % 97}}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, async () => writeMany(100)));
    const writing = writeMany(50);
    const body = await query('{"kind":"many"}');
    await writing;
    const places = [...body.matchAll(/\{"id":(\d+),.*?"start":(\d+),/g)].map(
      ([, id, at]) => Number(at) * 1e6 + Number(id),
    );
    assert.isAtLeast(places.length, 800);
    assert.isTrue(places.every((place, at) => at === 0 || place > (places[at - 1] ?? place)));
    client.close();
  });
});
