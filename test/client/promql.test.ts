import { assert } from 'chai';

import { SeriesDbClient } from '../../src/client/client.js';
import { rejection } from '../support/rejection.js';
import {
  startScriptedServer,
  type ScriptedAnswer,
  type ScriptedServer,
} from '../support/scripted-server.js';

describe('the client and PromQL', () => {
  let server: ScriptedServer;
  afterEach(() => {
    server.close();
  });

  async function clientOf(...answers: readonly ScriptedAnswer[]): Promise<SeriesDbClient> {
    server = await startScriptedServer(answers);
    return new SeriesDbClient({ url: server.url, retry: { retries: 1, delayMaxMs: 20 } });
  }
  const answerOf = (data: object, more: object = {}): ScriptedAnswer => ({
    body: JSON.stringify({ status: 'success', data, ...more }),
  });

  it('queries at one time or over a range, with a form', async () => {
    const client = await clientOf(answerOf({ resultType: 'vector', result: [] }));
    await client.promql('up{a="é&b"}');
    await client.promql('up', { time: 1700000000.5 }, { limit: 3, lookback_delta: '1m' });
    await client.promql('up', { start: '2023-11-14T22:13:20Z', end: 1700000060, step: '15s' });
    assert.deepEqual(
      server.asked.map(({ path, body }) => [path, Object.fromEntries(new URLSearchParams(body))]),
      [
        ['/api/v1/query', { query: 'up{a="é&b"}' }],
        ['/api/v1/query', { query: 'up', time: '1700000000.5', limit: '3', lookback_delta: '1m' }],
        [
          '/api/v1/query_range',
          { query: 'up', start: '2023-11-14T22:13:20Z', end: '1700000060', step: '15s' },
        ],
      ],
    );
    assert.strictEqual(
      server.asked[0]?.headers['content-type'],
      'application/x-www-form-urlencoded',
    );
  });

  it('reads every type of result, its values as numbers', async () => {
    const metric = { __name__: 'up' };
    const client = await clientOf(
      answerOf({ resultType: 'vector', result: [{ metric, value: [1.5, '-Inf'] }] }),
      answerOf({
        resultType: 'matrix',
        result: [
          {
            metric,
            values: [
              [1, 'NaN'],
              [2, '+Inf'],
              [3, '-0.5'],
            ],
          },
        ],
      }),
      answerOf({ resultType: 'scalar', result: [1, '2'] }),
      answerOf({ resultType: 'string', result: [1, 'Inf'] }, { warnings: ['w'], infos: ['i'] }),
    );
    const none = { warnings: [], infos: [] };
    assert.deepEqual(await client.promql('a'), {
      resultType: 'vector',
      result: [{ metric, value: [1.5, -Infinity] }],
      ...none,
    });
    assert.deepEqual((await client.promql('a')).result, [
      {
        metric,
        values: [
          [1, NaN],
          [2, Infinity],
          [3, -0.5],
        ],
      },
    ]);
    assert.deepEqual((await client.promql('a')).result, [1, 2]);
    assert.deepEqual(await client.promql('a'), {
      ...{ resultType: 'string', result: [1, 'Inf'] },
      ...{ warnings: ['w'], infos: ['i'] },
    });
  });

  it('gives errors the type of Prometheus', async () => {
    const refused = { status: 'error', errorType: 'bad_data', error: '1:1: parse error: no' };
    const client = await clientOf({ status: 400, body: JSON.stringify(refused) });
    const { code, status, message } = await rejection(client.promql(')'));
    assert.deepEqual([code, status, message], ['bad_data', 400, '1:1: parse error: no']);
  });

  it('rejects an invalid answer', async () => {
    for (const body of ['', '{}', '{"data":{"resultType":"odd","result":[]}}', '[1]']) {
      const client = await clientOf({ body });
      assert.strictEqual((await rejection(client.promql('a'))).code, 'invalid_answer');
      server.close();
    }
  });

  it('streams the answer unchanged', async () => {
    const body = ['{"status":"success",', '"data":{"resultType":"scalar","result":[1,"2"]}}'];
    const client = await clientOf({ body });
    const pieces: Uint8Array[] = [];
    for await (const piece of client.streamPromql('2')) pieces.push(piece);
    assert.strictEqual(Buffer.concat(pieces).toString(), body.join(''));
  });
});
