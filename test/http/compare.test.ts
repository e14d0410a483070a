import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';

import { piecesOf } from '../support/fake-storage.js';
import { startInjected, type InjectedServer } from '../support/http-server.js';

interface ErrorBody {
  readonly error: string;
  readonly code: string;
}

const windows = '"start":10,"end":19,"baseline_start":0,"baseline_end":9';

describe('/api/v1/query/compare', () => {
  let server: InjectedServer;
  before(() => {
    server = startInjected();
  });
  after(() => {
    server.close();
  });
  const post = (body: string) => server.ask('/api/v1/query/compare', { body });
  const errorOf = async (answer: Response) => (await answer.json()) as ErrorBody;

  it('passes windows, aggregate and selector to the storage exactly', async () => {
    const body =
      '{"start":9007199254740993,"end":9223372036854775807,"aggregate":"delta",' +
      '"baseline_start":-9223372036854775808,"baseline_end":-9007199254740993,' +
      '"series_id":18446744073709551615,"metric":"m","unknown":{}}';
    const answer = await post(body);
    expect([answer.status, await answer.text()]).to.deep.equal([200, '{"series_id":1}']);
    expect(answer.headers.get('content-type')).to.equal('application/json');
    expect(server.storage.lastComparison).to.deep.equal({
      selector: { seriesId: 2n ** 64n - 1n },
      aggregate: 'delta',
      start: 2n ** 53n + 1n,
      end: 2n ** 63n - 1n,
      baselineStart: -(2n ** 63n),
      baselineEnd: -(2n ** 53n) - 1n,
    });
    await post(`{${windows},"aggregate":"avg","series":"s","tags":{"a":1},"labels":{"b":"c"}}`);
    expect(server.storage.lastComparison?.selector).to.deep.equal({
      name: 's',
      isLegacy: true,
      labels: [['a', '1']],
    });
  });

  const refused: readonly (readonly [string, string])[] = [
    ['', 'invalid_json'],
    ['[]', 'invalid_json'],
    ['{"end":1}', 'missing_start'],
    ['{"start":1}', 'missing_end'],
    ['{"start":1,"end":1}', 'missing_baseline_start'],
    ['{"start":1,"end":1,"baseline_start":1}', 'missing_baseline_end'],
    [`{${windows},"metric":"m"}`, 'missing_aggregate'],
    [`{${windows},"aggregate":"avg"}`, 'missing_selector'],
    [`{${windows},"aggregate":"median","metric":"m"}`, 'invalid_aggregate'],
    [`{${windows},"aggregate":"AVG","metric":"m"}`, 'invalid_aggregate'],
    [`{${windows},"aggregate":null,"metric":"m"}`, 'invalid_aggregate'],
    [`{${windows},"aggregate":"avg","metric":1}`, 'invalid_metric'],
    [`{${windows},"aggregate":"avg","series":1}`, 'invalid_series'],
    [`{${windows},"aggregate":"avg","series_id":"1"}`, 'invalid_series_id'],
    [`{${windows},"aggregate":"avg","metric":"m","labels":[]}`, 'invalid_labels'],
    [`{${windows},"aggregate":"avg","series":"m","tags":[]}`, 'invalid_tags'],
    ['{"start":1.5,"end":1,"baseline_start":1}', 'invalid_start'],
    ['{"start":1,"end":9223372036854775808}', 'invalid_end'],
    ['{"start":1,"end":1,"baseline_start":"0"}', 'invalid_baseline_start'],
    ['{"start":1,"end":1,"baseline_start":0,"baseline_end":1e3}', 'invalid_baseline_end'],
    [
      '{"start":2,"end":1,"baseline_start":0,"baseline_end":1,"aggregate":"avg","metric":"m"}',
      'invalid_time_range',
    ],
    [
      '{"start":1,"end":1,"baseline_start":2,"baseline_end":1,"aggregate":"avg","metric":"m"}',
      'invalid_time_range',
    ],
  ];
  for (const [body, code] of refused) {
    it(`answers ${code} to ${body.slice(0, 90)}`, async () => {
      const answer = await post(body);
      expect([answer.status, (await errorOf(answer)).code]).to.deep.equal([400, code]);
    });
  }

  it('names the baseline when its window ends before it starts', async () => {
    const answer = await post(
      '{"start":1,"end":1,"baseline_start":2,"baseline_end":1,"aggregate":"avg","metric":"m"}',
    );
    expect((await errorOf(answer)).error).to.equal('baseline_start 2 is after baseline_end 1');
  });

  it('answers the errors of the storage, and 413 past 1 MiB', async () => {
    for (const [code, status] of [
      ['series_not_found', 404],
      ['ambiguous_selector', 409],
      ['storage_corrupt', 503],
    ] as const) {
      server.storage.compareError = new AppError(code, 'refused by the test');
      // If there is no such series, a metric with a similar name is searched.
      server.storage.stream = piecesOf([Buffer.from('[]')]);
      const answer = await post(`{${windows},"aggregate":"avg","metric":"m"}`);
      expect([answer.status, (await errorOf(answer)).code]).to.deep.equal([status, code]);
    }
    server.storage.compareError = null;
    server.storage.stream = null;
    expect((await post(' '.repeat(1024 * 1024 + 1))).status).to.equal(413);
    const get = await server.ask('/api/v1/query/compare');
    expect([get.status, get.headers.get('allow')]).to.deep.equal([405, 'POST']);
  });
});
