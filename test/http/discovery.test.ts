/** The discovery routes: their calls of the storage, and their refusals. */
import { expect } from 'chai';

import { startInjected, type InjectedServer } from '../support/http-server.js';

const term = (key: string, value: string) => ({
  key,
  values: [value],
  isNegated: false,
  acceptsMissing: false,
});
const any = { namePrefix: null, names: null, terms: [], isAny: false };
const plain = { labelKey: '', valuePrefix: '', limit: Infinity, inactiveBefore: null };

describe('discovery', () => {
  let server: InjectedServer;
  beforeEach(() => {
    server = startInjected();
  });
  afterEach(() => {
    server.close();
  });
  const post = (path: string, body: string) => server.ask(`/api/v1/${path}`, { body });

  const asked: readonly (readonly [string, string, object])[] = [
    [
      'query/find',
      '{"tags":{"a":"1","b":true,"c":null},"op":"or","limit":"ignored","more":[]}',
      {
        ...plain,
        answer: 'seriesIds',
        filter: { ...any, terms: [term('a', '1'), term('b', 'true')], isAny: true },
      },
    ],
    ['query/find', '{"tags":{}}', { ...plain, answer: 'seriesIds', filter: any, limit: 0 }],
    [
      'series/find',
      '{"metric":"m","labels":{"__proto__":"p"},"op":"and","limit":7}',
      {
        ...plain,
        answer: 'series',
        filter: { ...any, names: ['m'], terms: [term('__proto__', 'p')] },
        limit: 7,
      },
    ],
    [
      'metrics/find',
      '{"prefix":"cpu.","labels":{"a":0.50}}',
      {
        ...plain,
        answer: 'metrics',
        filter: { ...any, namePrefix: 'cpu.', terms: [term('a', '0.50')] },
      },
    ],
    [
      'metrics/health',
      '{"inactive_before_ts":-9223372036854775808,"limit":0}',
      { ...plain, answer: 'health', filter: any, limit: 0, inactiveBefore: -(2n ** 63n) },
    ],
    [
      'labels/values',
      '{"key":"host","metric":"m","prefix":"é","limit":3}',
      {
        ...plain,
        answer: 'labelValues',
        filter: { ...any, names: ['m'] },
        labelKey: 'host',
        valuePrefix: 'é',
        limit: 3,
      },
    ],
  ];
  for (const [path, body, wanted] of asked) {
    it(`${path} passes ${body} to the storage`, async () => {
      const answer = await post(path, body);
      expect([answer.status, await answer.text()]).to.deep.equal([200, '["fake"]']);
      expect(server.storage.lastDiscovery).to.deep.equal(wanted);
    });
  }

  const refused: readonly (readonly [string, string, string])[] = [
    ['query/find', '{}', 'missing_tags'],
    ['query/find', '{"tags":null}', 'invalid_tags'],
    ['query/find', '{"tags":{"a":{}}}', 'invalid_tags'],
    ['query/find', '{"tags":{"a":"1"},"op":"xor"}', 'invalid_op'],
    ['query/find', '{"tags":{"a":"1"},"op":"AND"}', 'invalid_op'],
    ['query/find', '', 'invalid_json'],
    ['query/find', '[]', 'invalid_json'],
    ['series/find', '{"labels":{}}', 'missing_metric'],
    ['series/find', '{"metric":5}', 'invalid_metric'],
    ['series/find', '{"metric":"m","labels":[]}', 'invalid_labels'],
    ['series/find', '{"metric":"m","op":1}', 'invalid_op'],
    ['series/find', '{"metric":"m","limit":-1}', 'invalid_limit'],
    ['series/find', '{"metric":"m","limit":1.5}', 'invalid_limit'],
    ['series/find', '{"metric":"m","limit":"1"}', 'invalid_limit'],
    ['series/find', '{"metric":"m","limit":null}', 'invalid_limit'],
    ['metrics/find', '{"prefix":1}', 'invalid_prefix'],
    ['metrics/find', '{"labels":"{}"}', 'invalid_labels'],
    ['metrics/find', '{"limit":1e2}', 'invalid_limit'],
    ['metrics/find', 'null', 'invalid_json'],
    ['metrics/health', '{"inactive_before_ts":9223372036854775808}', 'invalid_inactive_before_ts'],
    ['metrics/health', '{"inactive_before_ts":"1"}', 'invalid_inactive_before_ts'],
    ['metrics/health', '{"prefix":[]}', 'invalid_prefix'],
    ['metrics/health', '{"labels":1}', 'invalid_labels'],
    ['metrics/health', '{"limit":-0.0}', 'invalid_limit'],
    ['labels/values', '{"metric":"m"}', 'missing_key'],
    ['labels/values', '{"key":7}', 'invalid_key'],
    ['labels/values', '{"key":"k","metric":{}}', 'invalid_metric'],
    ['labels/values', '{"key":"k","prefix":null}', 'invalid_prefix'],
    ['labels/values', '{"key":"k","limit":true}', 'invalid_limit'],
    ['labels/values', '{"key":"k"', 'invalid_json'],
  ];
  for (const [path, body, code] of refused) {
    it(`${path} answers ${code} to ${body === '' ? 'an empty body' : body}`, async () => {
      const answer = await post(path, body);
      const error = (await answer.json()) as { code: string; status: number };
      expect([answer.status, error.status, error.code]).to.deep.equal([400, 400, code]);
      expect(server.storage.lastDiscovery).to.equal(null);
    });
  }

  it('rejects a body past 1 MiB and other methods', async () => {
    expect((await post('series/find', ' '.repeat(1024 * 1024 + 1))).status).to.equal(413);
    const answer = await server.ask('/api/v1/labels/values');
    expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'POST']);
  });

  it('answers the errors of the storage', async () => {
    server.storage.openDiscovery = () => {
      throw Object.assign(new Error('closed'), { code: 'closed' });
    };
    expect((await post('metrics/find', '{}')).status).to.equal(503);
  });
});
