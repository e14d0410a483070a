/** Series, labels and values in the Prometheus API, against a real server. */
import { expect } from 'chai';

import { Client } from '../../support/client.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';

const cut = ['results truncated due to limit'];

const lineOf = (metric: string, labels: Record<string, string>, ts: string): string =>
  `{"metric":"${metric}","labels":${JSON.stringify(labels)},"ts":${ts},"value":1}\n`;

interface Told {
  readonly data: unknown;
  readonly warnings?: readonly string[];
}

for (const unit of ['s', 'ms', 'ns'] as const) {
  describe(`series by time in ${unit}`, function () {
    this.timeout(60_000);
    let server: Server;
    let client: Client;
    const zeros = { s: '', ms: '000', ns: '000000000' }[unit];
    const at = (seconds: number): string => `${seconds}${zeros}`;

    before(async () => {
      const env = { SERIESDB_TIMESTAMP_UNIT: unit };
      server = await startServer({ dataDir: temporaryDirectory(), env });
      client = new Client(server.port);
      const body =
        lineOf('m', { host: 'early' }, at(1_700_000_000)) +
        lineOf('m', { host: 'early' }, at(1_700_000_100)) +
        lineOf('m', { host: 'late' }, at(1_700_000_200)) +
        lineOf('m', { host: 'late', zone: '' }, at(1_700_000_200)) +
        lineOf('other', { 'a.b': 'x', zone: '' }, at(1_700_000_050));
      const { status } = await client.request('POST', '/api/v1/ingest', { body });
      expect(status).to.equal(200);
    });
    after(async () => {
      client.close();
      await killServers();
    });

    async function told(path: string, query: Record<string, string | string[]>): Promise<Told> {
      const asked = new URLSearchParams(
        Object.entries(query).flatMap(([key, value]) =>
          [value].flat().map((one): [string, string] => [key, one]),
        ),
      );
      const answer = await client.get(`/api/v1/${path}?${asked.toString()}`);
      expect(answer.status, answer.body).to.equal(200);
      return JSON.parse(answer.body) as Told;
    }
    const hosts = async (start: string, end: string): Promise<unknown> =>
      (await told('label/host/values', { 'match[]': 'm', start, end })).data;

    it('a series is listed from its first sample to its last one', async () => {
      for (const [start, end, expected] of [
        ['0', '1699999999.999', []],
        ['0', '1700000000', ['early']],
        ['1700000100', '1700000199.999', ['early']],
        ['1700000100.001', '1700000199.999', []],
        ['1700000050', '1700000060', ['early']],
        ['1700000100', '1700000200', ['early', 'late']],
        ['1700000200.001', '1e30', []],
        ['1700000200', '1700000000', []],
        ['2023-11-14T22:15:00Z', '2023-11-14T22:15:01Z', ['early']],
      ] as const) {
        expect(await hosts(start, end), `${start} ${end}`).to.deep.equal(expected);
      }
    });

    it('label sets contain the metric and no empty label, once each and in order', async () => {
      const sets = await told('series', { 'match[]': ['other', 'm', '{host="late"}'] });
      expect(sets).to.deep.equal({
        status: 'success',
        data: [
          { __name__: 'm', host: 'early' },
          { __name__: 'm', host: 'late' },
          { __name__: 'other', 'a.b': 'x' },
        ],
      });
      const first = await told('series', { 'match[]': ['other', 'm'], limit: '1' });
      expect(first.data).to.deep.equal([{ __name__: 'm', host: 'early' }]);
      expect(first.warnings).to.deep.equal(cut);
      expect((await told('series', { 'match[]': 'nothing' })).data).to.deep.equal([]);
      expect(
        (await told('series', { 'match[]': '{__name__=~"m|o.*",host=""}' })).data,
      ).to.deep.equal([{ __name__: 'other', 'a.b': 'x' }]);
    });

    it('names and values are sorted, limited, and never empty', async () => {
      expect((await told('labels', {})).data).to.deep.equal(['__name__', 'a.b', 'host']);
      expect((await told('labels', { 'match[]': 'm' })).data).to.deep.equal(['__name__', 'host']);
      expect((await told('labels', { 'match[]': 'nothing' })).data).to.deep.equal([]);
      expect(await told('labels', { limit: '2' })).to.deep.equal({
        ...{ status: 'success', data: ['__name__', 'a.b'], warnings: cut },
      });
      expect(await told('labels', { limit: '3' })).to.not.have.property('warnings');
      expect((await told('label/__name__/values', {})).data).to.deep.equal(['m', 'other']);
      expect((await told('label/zone/values', {})).data).to.deep.equal([]);
      expect((await told('label/U__a_2e_b/values', {})).data).to.deep.equal(['x']);
      expect((await told('label/a.b/values', {})).data).to.deep.equal(['x']);
      expect((await told('label/a%2Eb/values', {})).data).to.deep.equal(['x']);
      for (const name of ['host&limit=1', 'host&', 'a.b&x', 'host=1', 'host%26limit%3D1']) {
        expect((await told(`label/${name}/values`, {})).data, name).to.deep.equal([]);
      }
      const one = await told('label/host/values', { limit: '1' });
      expect([one.data, one.warnings]).to.deep.equal([['early'], cut]);
    });
  });
}

describe('metric metadata', function () {
  this.timeout(60_000);
  let client: Client;
  before(async () => {
    const server = await startServer({ dataDir: temporaryDirectory() });
    client = new Client(server.port);
    const body =
      '{"metric":"a","ts":1,"value":1}\n' +
      '{"metric":"b","ts":1,"value":1,"kind":"gauge","unit":"s","description":"B."}\n' +
      '{"metric":"c","ts":1,"value":1,"description":"C."}\n' +
      '{"metric":"h_bucket","labels":{"le":"1"},"ts":1,"value":1,"kind":"counter","description":"H."}\n' +
      '{"metric":"h_sum","ts":1,"value":1,"kind":"counter","unit":"s","description":"H."}\n';
    expect((await client.request('POST', '/api/v1/ingest', { body })).status).to.equal(200);
  });
  after(async () => {
    client.close();
    await killServers();
  });
  async function known(query = ''): Promise<unknown> {
    const { status, body } = await client.get(`/api/v1/metadata${query}`);
    expect(status, body).to.equal(200);
    return (JSON.parse(body) as { data: unknown }).data;
  }
  const one = (type: string, help: string, unit: string) => [{ type, help, unit }];

  it('is returned by metric, and for a histogram by the name of its family', async () => {
    const all = {
      b: one('gauge', 'B.', 's'),
      c: one('unknown', 'C.', ''),
      h: one('histogram', 'H.', 's'),
      h_bucket: one('counter', 'H.', ''),
      h_sum: one('counter', 'H.', 's'),
    };
    expect(await known()).to.deep.equal(all);
    expect(await known('?metric=h')).to.deep.equal({ h: all.h });
    expect(await known('?metric=h_sum')).to.deep.equal({ h_sum: all.h_sum });
    expect(await known('?metric=a')).to.deep.equal({});
    expect(await known('?metric=nothing')).to.deep.equal({});
    expect(await known('?limit=2')).to.have.all.keys('b', 'c');
    expect(await known('?limit=0')).to.deep.equal({});
    expect(await known('?limit=-1&limit_per_metric=0')).to.deep.equal(all);
  });
});
