import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';

import { piecesOf } from '../support/fake-storage.js';
import { startInjected, type InjectedServer } from '../support/http-server.js';

const [first, last] = [-(2n ** 63n), 2n ** 63n - 1n];
/** A board is not a note. */
const required = [['__board__', '']];

describe('/api/v1/annotations', () => {
  let server: InjectedServer;
  before(() => {
    server = startInjected();
  });
  after(() => {
    server.close();
  });
  const post = (what: 'write' | 'query', body: string) =>
    server.ask(`/api/v1/annotations/${what}`, { body });
  const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;
  const write = (rest: string) => post('write', `{"kind":"k","title":"t",${rest}}`);

  it('answers 201 with the record, and passes it to the storage exactly', async () => {
    const body =
      '{"kind":"deploy","title":"Ü","message":"line\\nline","metric":"m",' +
      '"labels":{"b":true,"a":1.50,"n":null},"start":9007199254740993,"end":9223372036854775807}';
    const answer = await post('write', body);
    expect([answer.status, await answer.text()]).to.deep.equal([201, '{"id":1}']);
    expect(answer.headers.get('content-type')).to.equal('application/json');
    expect(server.storage.lastAnnotation).to.deep.equal({
      changes: 0n,
      kind: 'deploy',
      title: 'Ü',
      message: 'line\nline',
      metric: 'm',
      labels: [
        ['b', 'true'],
        ['a', '1.50'],
      ],
      start: 2n ** 53n + 1n,
      end: last,
      required,
    });
    await write('"start":-9223372036854775808,"unknown":1');
    expect(server.storage.lastAnnotation).to.deep.equal({
      changes: 0n,
      kind: 'k',
      title: 't',
      message: null,
      metric: null,
      labels: [],
      start: first,
      end: first,
      required,
    });
  });

  const refusedWrites: readonly (readonly [string, string])[] = [
    ['', 'invalid_json'],
    ['[]', 'invalid_json'],
    ['{"title":"t","start":1}', 'missing_kind'],
    ['{"kind":"k","start":1}', 'missing_title'],
    ['{"kind":"k","title":"t"}', 'missing_start'],
    ['{"kind":1,"title":"t","start":1}', 'invalid_kind'],
    ['{"kind":"","title":"t","start":1}', 'invalid_kind'],
    ['{"kind":"a\\u0000","title":"t","start":1}', 'invalid_kind'],
    ['{"kind":"k","title":null,"start":1}', 'invalid_title'],
    ['{"kind":"k","title":"","start":1}', 'invalid_title'],
    ['{"kind":"k","title":"a\\nb","start":1}', 'invalid_title'],
    ['{"kind":"k","title":"\\ud800","start":1}', 'invalid_title'],
    ['{"kind":"k","title":"t","start":1,"message":7}', 'invalid_message'],
    ['{"kind":"k","title":"t","start":1,"message":"\\udc00"}', 'invalid_message'],
    ['{"kind":"k","title":"t","start":1,"metric":[]}', 'invalid_metric'],
    ['{"kind":"k","title":"t","start":1,"metric":""}', 'invalid_metric'],
    ['{"kind":"k","title":"t","start":1,"labels":"a"}', 'invalid_labels'],
    ['{"kind":"k","title":"t","start":1,"labels":{"a":[]}}', 'invalid_labels'],
    ['{"kind":"k","title":"t","start":1,"labels":{"":"x"}}', 'invalid_labels'],
    ['{"kind":"k","title":"t","start":1,"labels":{"a":"\\ud800"}}', 'invalid_labels'],
    ['{"kind":"k","title":"t","start":1,"labels":{"__board__":"x"}}', 'invalid_labels'],
    ['{"kind":"k","title":"t","start":1.5}', 'invalid_start'],
    ['{"kind":"k","title":"t","start":9223372036854775808}', 'invalid_start'],
    ['{"kind":"k","title":"t","start":1,"end":"2"}', 'invalid_end'],
    ['{"kind":"k","title":"t","start":1,"end":0}', 'invalid_time_range'],
  ];
  for (const [body, code] of refusedWrites) {
    it(`answers ${code} to write ${body.slice(0, 70)}`, async () => {
      const answer = await post('write', body);
      expect([answer.status, await codeOf(answer)]).to.deep.equal([400, code]);
    });
  }

  it('accepts every text at its byte limit, and rejects one byte more', async () => {
    const labels = (count: number, value: string) =>
      JSON.stringify(
        Object.fromEntries(Array.from({ length: count }, (_, at) => [String(1000 + at), value])),
      );
    const record = (over: Readonly<Record<string, string>>) => {
      const fields = { kind: '"k"', title: '"t"', ...over };
      return `{"start":1,${Object.entries(fields)
        .map(([key, text]) => `"${key}":${text}`)
        .join(',')}}`;
    };
    const text = (size: number) => JSON.stringify(`é${'x'.repeat(size - 2)}`);
    const limits: readonly (readonly [string, string, string])[] = [
      ['kind', text(255), text(256)],
      ['title', text(1024), text(1025)],
      ['message', text(65_536), text(65_537)],
      ['metric', text(255), text(256)],
      ['labels', labels(64, 'x'), labels(65, 'x')],
      ['labels', `{${text(255)}:""}`, `{${text(256)}:""}`],
      ['labels', `{"a":${text(16_383)}}`, `{"a":${text(16_384)}}`],
    ];
    for (const [key, good, bad] of limits) {
      expect((await post('write', record({ [key]: good }))).status).to.equal(201);
      const refused = await post('write', record({ [key]: bad }));
      expect([refused.status, await codeOf(refused)]).to.deep.equal([400, `invalid_${key}`]);
    }
    expect((await post('write', ' '.repeat(1024 * 1024 + 1))).status).to.equal(413);
    expect((await write('"start":1,"message":""')).status).to.equal(201);
  });

  it('answers the errors of the storage', async () => {
    for (const code of ['storage_unavailable', 'fenced', 'bucket_unavailable'] as const) {
      server.storage.annotateError = new AppError(code, 'refused by the test');
      const answer = await write('"start":1');
      expect([answer.status, await codeOf(answer)]).to.deep.equal([503, code]);
      const isBusy = code === 'bucket_unavailable';
      expect(answer.headers.get('retry-after')).to.equal(isBusy ? '1' : null);
    }
    server.storage.annotateError = null;
  });

  it('passes a query on exactly, absent keys as no filter', async () => {
    const answer = await post('query', '{}');
    expect([answer.status, await answer.text()]).to.deep.equal([200, '[]']);
    const all = {
      start: first,
      end: last,
      kind: null,
      metric: null,
      labels: [],
      isAnyLabel: false,
      limit: null,
      required,
    };
    expect(server.storage.lastFilter).to.deep.equal(all);
    await post(
      'query',
      '{"start":-9007199254740993,"kind":"k","metric":"m","labels":{"a":1},"op":"or","limit":0}',
    );
    expect(server.storage.lastFilter).to.deep.equal({
      ...all,
      start: -(2n ** 53n) - 1n,
      kind: 'k',
      metric: 'm',
      labels: [['a', '1']],
      isAnyLabel: true,
      limit: 0,
    });
    await post('query', '{"op":"and","end":9007199254740993,"limit":99999999999999999999}');
    expect(server.storage.lastFilter).to.deep.equal({
      ...all,
      end: 2n ** 53n + 1n,
      limit: Number.MAX_SAFE_INTEGER,
    });
  });

  const refusedQueries: readonly (readonly [string, string])[] = [
    ['', 'invalid_json'],
    ['5', 'invalid_json'],
    ['{"start":"1"}', 'invalid_start'],
    ['{"end":1e3}', 'invalid_end'],
    ['{"start":2,"end":1}', 'invalid_time_range'],
    ['{"kind":1}', 'invalid_kind'],
    ['{"metric":null}', 'invalid_metric'],
    ['{"labels":[]}', 'invalid_labels'],
    ['{"op":"AND"}', 'invalid_op'],
    ['{"op":null}', 'invalid_op'],
    ['{"limit":-1}', 'invalid_limit'],
    ['{"limit":1.5}', 'invalid_limit'],
    ['{"limit":"1"}', 'invalid_limit'],
  ];
  for (const [body, code] of refusedQueries) {
    it(`answers ${code} to query ${body}`, async () => {
      const answer = await post('query', body);
      expect([answer.status, await codeOf(answer)]).to.deep.equal([400, code]);
    });
  }

  it('streams a long answer in order, and closes its stream', async () => {
    const pieces = Array.from({ length: 20 }, (_, at) => Buffer.alloc(100_000, 97 + at));
    const stream = piecesOf(pieces);
    server.storage.stream = stream;
    const body = Buffer.from(await (await post('query', '{}')).arrayBuffer());
    expect(body.equals(Buffer.concat(pieces))).to.equal(true);
    expect(stream.isClosed).to.equal(true);
    server.storage.stream = null;
  });

  it('answers 405 with Allow to other methods', async () => {
    for (const what of ['write', 'query']) {
      const answer = await server.ask(`/api/v1/annotations/${what}`);
      expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'POST']);
    }
  });
});
