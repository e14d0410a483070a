import { getEventListeners } from 'node:events';
import http from 'node:http';

import { assert } from 'chai';

import { SeriesDbClient, SeriesDbError, type ConnectionOptions } from '../../src/client/client.js';
import { readRetryAfter } from '../../src/client/connection.js';

import { rejection } from '../support/rejection.js';
import {
  refusal,
  startScriptedServer,
  type ScriptedAnswer,
  type ScriptedServer,
} from '../support/scripted-server.js';

describe('the client', () => {
  let server: ScriptedServer;
  const retries: string[] = [];
  afterEach(() => {
    server.close();
    retries.length = 0;
  });

  async function clientOf(
    answers: readonly ScriptedAnswer[],
    options: Partial<ConnectionOptions> = {},
  ): Promise<SeriesDbClient> {
    server = await startScriptedServer(answers);
    return new SeriesDbClient({
      url: `${server.url}/`,
      retry: { retries: 2, delayMaxMs: 20 },
      onRetry: ({ error, attempt }) => retries.push(`${String(attempt)} ${error.code}`),
      ...options,
    });
  }

  it('turns server errors into errors with code, status, message and line', async () => {
    const client = await clientOf([
      refusal('invalid_record', 400, 'line 7: ts must be an integer'),
    ]);
    const error = await rejection(client.ingest('x'));
    assert.deepEqual(
      [error.code, error.status, error.message, error.line],
      ['invalid_record', 400, 'line 7: ts must be an integer', 7],
    );
    assert.strictEqual(server.asked.length, 1);
  });

  it('sends the token and nothing of it in an error', async () => {
    const client = await clientOf([refusal('unauthorized', 401)], { token: 'secret' });
    const error = await rejection(client.status());
    assert.strictEqual(server.asked[0]?.headers.authorization, 'Bearer secret');
    assert.notInclude(JSON.stringify([error.message, error.stack]), 'secret');
  });

  it('requests no compression from a local server; elsewhere fetch decides', async () => {
    const client = await clientOf([{ body: '{}' }]);
    await client.status();
    assert.strictEqual(server.asked[0]?.headers['accept-encoding'], 'identity');
    const asked: unknown[] = [];
    const remember = (_url: unknown, init?: RequestInit): Promise<Response> => {
      asked.push(new Headers(init?.headers).get('accept-encoding'));
      return Promise.resolve(new Response('{}'));
    };
    const hosts = [
      'localhost',
      '127.1.2.3',
      '[::1]',
      'db.example',
      '127.0.0.1.example',
      '10.0.0.1',
    ];
    for (const host of hosts) {
      await new SeriesDbClient({ url: `https://${host}:1`, fetch: remember }).status();
    }
    assert.deepEqual(asked, ['identity', 'identity', 'identity', null, null, null]);
  });

  it('waits out a 503 and gives up after its retries', async () => {
    const busy = refusal('ingest_backpressure', 503);
    const client = await clientOf([busy, busy, { body: '{"ingested":3}' }]);
    assert.strictEqual((await client.ingest('x')).ingested, 3);
    assert.deepEqual(retries, ['1 ingest_backpressure', '2 ingest_backpressure']);
    server.close();
    const hopeless = await clientOf([busy]);
    assert.strictEqual((await rejection(hopeless.ingest('x'))).code, 'ingest_backpressure');
    assert.strictEqual(server.asked.length, 3);
  });

  it('waits out any number of 503 in a bulk load, and counts lines over all', async () => {
    const busy = refusal('ingest_backpressure', 503);
    const answers = [...Array.from({ length: 6 }, () => busy), { body: '{"ingested":2}' }];
    const client = await clientOf([...answers, refusal('invalid_record', 400, 'line 2: bad')]);
    const progress: number[] = [];
    const error = await rejection(
      client.ingestAll(['a', 'b', 'c', 'd'], {
        batch_size: 4,
        onProgress: ({ lines }) => progress.push(lines),
      }),
    );
    assert.deepEqual([error.line, error.message], [4, 'line 4: bad']);
    assert.deepEqual(progress, [2]);
    assert.deepEqual(server.asked.map(({ body }) => body).slice(5), ['a\nb\n', 'a\nb\n', 'c\nd\n']);
  });

  it('adds up the reports of a lenient load, lines counted over all', async () => {
    const report = {
      ingested: 1,
      rejected: 1,
      errors: [{ line: 2, code: 'c', error: 'line 2: e' }],
    };
    const client = await clientOf([{ body: JSON.stringify(report) }]);
    const sum = await client.ingestAll(['a', 'b', 'c', 'd'], { batch_size: 4, on_error: 'skip' });
    assert.deepEqual([sum.ingested, sum.rejected], [2, 2]);
    assert.deepEqual(
      sum.errors.map(({ line, error }) => [line, error]),
      [
        [2, 'line 2: e'],
        [4, 'line 4: e'],
      ],
    );
    assert.strictEqual(server.asked[0]?.path, '/api/v1/ingest?on_error=skip');
  });

  it('repeats reads and ingest over a broken connection, and no annotation', async () => {
    const broken = { breaks: 'before' } as const;
    const client = await clientOf([broken, { body: '["x"', breaks: 'inside' }, { body: '[]' }]);
    assert.deepEqual(await client.findMetrics(), []);
    assert.deepEqual(retries, ['1 network_error', '2 network_error']);
    server.close();
    const other = await clientOf([broken, { body: '{}' }]);
    const note = { kind: 'k', title: 't', start: 1 };
    const error = await rejection(other.writeAnnotation(note));
    assert.deepEqual([error.code, error.status], ['network_error', 0]);
    assert.strictEqual(server.asked.length, 1);
  });

  it('repeats an annotation only after a refusal that cannot have stored it', async () => {
    const note = { kind: 'k', title: 't', start: 1 };
    const client = await clientOf([refusal('request_timeout', 503), { body: '{}' }]);
    assert.strictEqual((await rejection(client.writeAnnotation(note))).code, 'request_timeout');
    server.close();
    const slow = await clientOf([refusal('bucket_unavailable', 503), { body: '{}' }]);
    assert.strictEqual((await rejection(slow.writeAnnotation(note))).code, 'bucket_unavailable');
    server.close();
    const other = await clientOf([refusal('closed', 503), { status: 201, body: '{"id":7}' }]);
    assert.strictEqual((await other.writeAnnotation(note)).id, 7n);
  });

  it('does not wait without Retry-After, however many retries are left', async () => {
    for (const code of [
      'storage_corrupt',
      'storage_unavailable',
      'fenced',
      'io',
      'a_code_of_a_later_server',
    ]) {
      const client = await clientOf([refusal(code, 503)]);
      assert.strictEqual((await rejection(client.findMetrics())).code, code);
      assert.strictEqual((await rejection(client.ingestAll(['a']))).code, code);
      assert.strictEqual(server.asked.length, 2);
      assert.deepEqual(retries, []);
      server.close();
    }
  });

  it('obeys Retry-After of a proxy', async () => {
    const limited = { status: 429, headers: { 'retry-after': '0' }, body: 'slow down' };
    const client = await clientOf([limited, { body: '[]' }]);
    assert.deepEqual(await client.findMetrics(), []);
    assert.deepEqual(retries, ['1 invalid_answer']);
  });

  it('never retries before Retry-After: it waits that long, or gives up', async () => {
    const busyFor = (seconds: string): ScriptedAnswer => ({
      ...refusal('ingest_backpressure', 503),
      headers: { 'retry-after': seconds },
    });
    const delays: number[] = [];
    const onRetry = ({ delayMs }: { readonly delayMs: number }): number => delays.push(delayMs);
    // Longer than a timer can be set for, too: that one would fire at once.
    for (const [seconds, delayMaxMs] of [
      ['1', 999],
      ['11', 10_000],
      ['999999999', Infinity],
    ] as const) {
      const client = await clientOf([busyFor(seconds)], { retry: { delayMaxMs }, onRetry });
      for (const ask of [
        () => client.ingest('x'),
        () => client.ingestAll(['x']),
        () => client.findMetrics(),
      ]) {
        const error = await rejection(ask());
        assert.strictEqual(error.code, 'ingest_backpressure');
        assert.strictEqual(error.retryAfterMs, Number(seconds) * 1000);
      }
      assert.strictEqual(server.asked.length, 3);
      server.close();
    }
    assert.deepEqual(delays, []);
    const retry = { delayMaxMs: 1000 };
    const client = await clientOf([busyFor('1'), { body: '[]' }], { retry, onRetry });
    assert.deepEqual(await client.findMetrics(), []);
    assert.deepEqual(delays, [1000]);
  });

  it('never returns a partial range', async () => {
    const part = '[{"ts":1,"value":2},{"ts":2';
    const client = await clientOf([{ body: part, breaks: 'inside' }, { body: part }]);
    const query = { metric: 'm', start: 0, end: 9 };
    assert.strictEqual((await rejection(client.range(query))).code, 'network_error');
    assert.strictEqual((await rejection(client.range(query))).code, 'invalid_answer');
  });

  it('counts series by label value, and rejects a list of another kind', async () => {
    const client = await clientOf([
      { body: '{"values":["b","a"],"series_counts":[3,1]}' },
      { body: '{"values":["b","a"],"series_counts":[3]}' },
    ]);
    assert.deepEqual(await client.countLabelValues({ key: 'host' }), [
      { value: 'b', series_count: 3 },
      { value: 'a', series_count: 1 },
    ]);
    assert.strictEqual(server.asked[0]?.body, '{"counted":"series_count","key":"host"}');
    const { code } = await rejection(client.countLabelValues({ key: 'host' }));
    assert.strictEqual(code, 'invalid_answer');
  });

  it('reports that another program answers at the address', async () => {
    const client = await clientOf([{ status: 404, body: '<html>' }, { body: '<html>' }]);
    for (let times = 0; times < 2; times += 1) {
      assert.strictEqual((await rejection(client.findMetrics())).code, 'invalid_answer');
    }
  });

  it('ends at once with the reason of its signal, waiting or not', async () => {
    const busy = { ...refusal('ingest_backpressure', 503), headers: { 'retry-after': '60' } };
    const controller = new AbortController();
    const client = await clientOf([busy], {
      retry: { retries: 9, delayMaxMs: 60_000 },
      onRetry: () => {
        setTimeout(() => {
          controller.abort(new Error('enough'));
        }, 10);
      },
    });
    for (let times = 0; times < 2; times += 1) {
      const started = performance.now();
      const ended = await client
        .ingest('x', { signal: controller.signal })
        .catch((e: unknown) => e);
      assert.strictEqual((ended as Error).message, 'enough');
      assert.isBelow(performance.now() - started, 2000);
    }
  });

  it('leaves no listener on a signal shared by many calls', async () => {
    const { signal } = new AbortController();
    const client = await clientOf(Array.from({ length: 20 }, () => ({ body: '[]' })));
    for (let times = 0; times < 10; times += 1) {
      await client.findMetrics({}, { signal });
      await client.range({ metric: 'm', start: 0n, end: 1n }, { signal });
    }
    assert.lengthOf(getEventListeners(signal, 'abort'), 0);
  });

  it('reads Retry-After as seconds or as a date', () => {
    assert.strictEqual(readRetryAfter('3'), 3000);
    assert.strictEqual(readRetryAfter(new Date(10_000).toUTCString(), 4_000), 6000);
    assert.strictEqual(readRetryAfter(new Date(0).toUTCString(), 4_000), 0);
    assert.isNull(readRetryAfter('soon'));
    assert.isNull(readRetryAfter(null));
  });

  it('keeps a path in the address and rejects invalid addresses', async () => {
    const client = await clientOf([{ body: '[]' }]);
    await client.findMetrics({ prefix: 'a', limit: 2 });
    const below = new SeriesDbClient({ url: `${server.url}/tsdb/` });
    await below.findMetrics();
    assert.deepEqual(
      server.asked.map(({ method, path, body }) => [method, path, body]),
      [
        ['POST', '/api/v1/metrics/find', '{"prefix":"a","limit":2}'],
        ['POST', '/tsdb/api/v1/metrics/find', '{}'],
      ],
    );
    for (const url of ['', 'localhost:8080', 'ftp://a', 'http://u:p@a', 'http://a?b']) {
      assert.throws(() => new SeriesDbClient({ url }), SeriesDbError);
    }
  });

  it('stops the server when the reader of a range stops', async () => {
    let isClosed: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => (isClosed = resolve));
    const endless = http.createServer((_, response) => {
      response.write('[{"ts":1,"value":2}');
      const timer = setInterval(() => response.write(',{"ts":1,"value":2}'), 1);
      response.on('close', () => {
        clearInterval(timer);
        isClosed();
      });
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const { port } = endless.address() as { port: number };
    const client = new SeriesDbClient({ url: `http://127.0.0.1:${String(port)}` });
    for await (const samples of client.streamRange({ series_id: 1, start: 0, end: 1 })) {
      assert.isAbove(samples.length, 0);
      break;
    }
    await closed;
    endless.close();
  });
});
