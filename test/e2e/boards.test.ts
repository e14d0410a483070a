/** Boards through a real server: visibility, refusals, and persistence over a restart. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { printEntry } from '../../src/http/auth/token-file.js';
import { digestOf, type TokenEntry } from '../../src/http/auth/token.js';
import { kBoardCountMax, kBoardSizeMax } from '../../src/operations/boards.js';
import { ask, startConfigured } from '../support/admin-server.js';
import { Client } from '../support/client.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

interface Board {
  readonly id: number;
  readonly name: string;
}

const panels = [
  { title: 'Load', metric: 'cpu.load', options: { by: 'host', w: '{host="a"}' } },
  { title: 'Ü "now"', statement: 'select last(value) from cpu', language: 'seriesql' },
  { title: 'rate', statement: 'rate(x[5m])', language: 'promql', options: { over: 'range' } },
];
const hosts = { name: 'Hosts', range: '6h', refresh: '10s', panels };

describe('boards', function () {
  this.timeout(60_000);
  after(killServers);

  describe('in a real server', () => {
    const dataDir = temporaryDirectory();
    let server: Server;
    let client: Client;
    const start = async (): Promise<void> => {
      server = await startServer({ dataDir });
      client = new Client(server.port);
    };
    const post = async (
      what: string,
      body: unknown,
    ): Promise<{ status: number; json: unknown }> => {
      const answer = await client.postJson(`/api/v1/${what}`, JSON.stringify(body));
      return { status: answer.status, json: JSON.parse(answer.body) };
    };
    const list = async (): Promise<readonly Board[]> => {
      const answer = await client.request('GET', '/api/v1/boards');
      assert.strictEqual(answer.status, 200, answer.body);
      return JSON.parse(answer.body) as Board[];
    };
    const refused = async (what: string, body: unknown): Promise<string> => {
      const { status, json } = await post(what, body);
      assert.isAtLeast(status, 400);
      return (json as { code: string }).code;
    };
    before(start);

    it('are empty at first, and are returned as they were written', async () => {
      assert.deepEqual(await list(), []);
      const { status, json } = await post('boards/write', hosts);
      assert.strictEqual(status, 201);
      assert.deepEqual(json, { id: 1, ...hosts });
      const empty = await post('boards/write', { name: 'Empty', panels: [] });
      assert.deepEqual(empty.json, { id: 2, name: 'Empty', panels: [] });
      assert.deepEqual(await list(), [{ id: 1, ...hosts }, empty.json as Board]);
    });

    it('are separate from annotations', async () => {
      const note = await post('annotations/write', { kind: 'board', title: 'note', start: 0 });
      assert.deepEqual(note.json, {
        ...{ id: 3, kind: 'board', title: 'note', start: 0, end: 0, labels: {} },
      });
      assert.deepEqual((await post('annotations/query', {})).json, [note.json]);
      assert.lengthOf(await list(), 2);
      assert.strictEqual(await refused('annotations/delete', { id: 1 }), 'annotation_not_found');
      const text = { id: 1, kind: 'k', title: 't', start: 0 };
      assert.strictEqual(await refused('annotations/update', text), 'annotation_not_found');
      assert.strictEqual(await refused('boards/delete', { id: 3 }), 'board_not_found');
      assert.strictEqual(await refused('boards/update', { id: 3, ...hosts }), 'board_not_found');
    });

    it('keep their id when they change, through kill -9 and a flush', async () => {
      const changed = { id: 1, name: 'All hosts', panels: panels.slice(1) };
      assert.deepEqual((await post('boards/update', changed)).json, changed);
      const before = await list();
      assert.deepEqual(before[0], changed);
      client.close();
      await server.kill();
      await start();
      assert.deepEqual(await list(), before);
      client.close();
      // A stop flushes.
      assert.strictEqual((await server.stop()).code, 0);
      await start();
      assert.deepEqual(await list(), before);
    });

    it('are not found after deletion', async () => {
      const gone = await post('boards/delete', { id: 2 });
      assert.deepEqual(gone.json, { id: 2, name: 'Empty', panels: [] });
      assert.strictEqual(await refused('boards/delete', { id: 2 }), 'board_not_found');
      assert.deepEqual(
        (await list()).map(({ id }) => id),
        [1],
      );
    });

    const panel = { title: 't', metric: 'm' };
    const faults: readonly (readonly [string, unknown])[] = [
      ['missing_name', { panels: [] }],
      ['invalid_name', { name: '', panels: [] }],
      ['invalid_name', { name: 'a\nb', panels: [] }],
      ['missing_panels', { name: 'n' }],
      ['invalid_panels', { name: 'n', panels: {} }],
      ['invalid_panels', { name: 'n', panels: [1] }],
      ['invalid_panels', { name: 'n', panels: [{ metric: 'm' }] }],
      ['invalid_panels', { name: 'n', panels: [{ title: 't' }] }],
      ['invalid_panels', { name: 'n', panels: [{ ...panel, statement: 's' }] }],
      ['invalid_panels', { name: 'n', panels: [{ ...panel, metric: 7 }] }],
      ['invalid_panels', { name: 'n', panels: [{ ...panel, language: 'sql' }] }],
      ['invalid_panels', { name: 'n', panels: [{ ...panel, options: [] }] }],
      ['invalid_panels', { name: 'n', panels: [{ ...panel, options: { by: 1 } }] }],
      ['invalid_panels', { name: 'n', panels: [{ ...panel, title: '\ud800' }] }],
      ['invalid_panels', { name: 'n', panels: [{ ...panel, title: 'x'.repeat(kBoardSizeMax) }] }],
      ['invalid_range', { name: 'n', range: 'x'.repeat(257), panels: [] }],
      ['invalid_refresh', { name: 'n', refresh: '', panels: [] }],
      ['invalid_json', { name: 'n', panels: Array(2000).fill(0) }],
    ];
    it('with invalid content are rejected, and the error names the fault', async () => {
      for (const [code, body] of faults) {
        assert.strictEqual(await refused('boards/write', body), code, JSON.stringify(body));
      }
      assert.lengthOf(await list(), 1);
    });

    it(`are at most ${String(kBoardCountMax)}`, async () => {
      for (let at = 1; at < kBoardCountMax; at += 1) {
        const { status } = await post('boards/write', { name: `board ${String(at)}`, panels: [] });
        assert.strictEqual(status, 201);
      }
      assert.strictEqual(await refused('boards/write', hosts), 'board_limit');
      assert.lengthOf(await list(), kBoardCountMax);
      // An existing board may change.
      assert.strictEqual((await post('boards/update', { id: 1, ...hosts })).status, 200);
    });
  });

  it('are visible only to tokens bound to the same label', async () => {
    const file = path.join(temporaryDirectory(), 'tokens.toml');
    const scopes = ['read', 'write'] as const;
    const entry = (name: string, labels: TokenEntry['labels']): string =>
      printEntry({ name, scopes, digest: digestOf(`secret-${name}`), ...(labels && { labels }) });
    writeFileSync(
      file,
      entry('a', [['tenant', 'a']]) + entry('b', [['tenant', 'b']]) + entry('all', undefined),
    );
    const { server } = await startConfigured('node', `tokens_file = "${file}"\n`);
    const asked = (who: string, target: string, body?: object) =>
      ask(server.port, target, {
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        headers: { authorization: `Bearer secret-${who}` },
      });
    assert.strictEqual((await asked('a', '/api/v1/boards/write', hosts)).status, 201);
    const seen = async (who: string): Promise<unknown> =>
      JSON.parse((await asked(who, '/api/v1/boards')).body);
    assert.deepEqual(await seen('a'), [{ id: 1, ...hosts }]);
    assert.deepEqual(await seen('all'), [{ id: 1, ...hosts }]);
    assert.deepEqual(await seen('b'), []);
    assert.strictEqual((await asked('b', '/api/v1/boards/delete', { id: 1 })).status, 404);
    assert.strictEqual(
      (await asked('b', '/api/v1/boards/update', { id: 1, ...hosts })).status,
      404,
    );
    assert.deepEqual(await seen('a'), [{ id: 1, ...hosts }]);
  });
});
