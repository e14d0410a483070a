/** Discovery through the public API of a real server finds what is stored. */
import { assert } from 'chai';

import { Client } from '../support/client.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const lines = [
  '{"metric":"cpu.load","labels":{"host":"a","region":"eu"},"ts":10,"value":1,"kind":"gauge","unit":"1"}',
  '{"metric":"cpu.load","labels":{"host":"a","region":"eu"},"ts":30,"value":1}',
  '{"metric":"cpu.load","labels":{"host":"a","region":"eu"},"ts":20,"value":1}',
  '{"metric":"cpu.load","labels":{"host":"b","region":"us"},"ts":-9223372036854775808,"value":1}',
  '{"metric":"cpu.load","labels":{"host":"ä\\"\\\\\\n","region":"us"},"ts":9223372036854775807,"value":1}',
  '{"metric":"cpu.load","ts":5,"value":1}',
  '{"series":"room","tags":{"host":"a","floor":"1"},"ts":40,"value":1}',
  '{"metric":"requests","labels":{"host":"b"},"ts":50,"value":1,"kind":"counter","unit":"1","description":"All \\"requests\\""}',
];

interface Found {
  readonly series_id: number;
  readonly labels: Readonly<Record<string, string>>;
}

describe('discovery', function () {
  this.timeout(60_000);
  const dataDir = temporaryDirectory();
  let server: Server;
  let client: Client;

  const start = async (): Promise<void> => {
    server = await startServer({ dataDir });
    client = new Client(server.port);
  };
  const ask = async (path: string, body: string): Promise<string> => {
    const answer = await client.request('POST', `/api/v1/${path}`, { body });
    assert.strictEqual(answer.status, 200, answer.body);
    assert.strictEqual(answer.headers['content-type'], 'application/json');
    return answer.body;
  };
  const ids = async (body: string): Promise<number[]> =>
    JSON.parse(await ask('query/find', body)) as number[];
  const series = async (body: string): Promise<Found[]> =>
    JSON.parse(await ask('series/find', body)) as Found[];
  const ingest = async (text: string): Promise<void> => {
    const { status, body } = await client.request('POST', '/api/v1/ingest', { body: text });
    assert.strictEqual(status, 200, body);
  };

  before(async () => {
    await start();
    await ingest(lines.join('\n'));
  });
  after(async () => {
    client.close();
    await killServers();
  });

  const asksForIds = (): void => {
    it('query/find returns the ids of series with all tags, or any, ascending', async () => {
      const all = await series('{"metric":"cpu.load"}');
      const idOf = (host: string) => all.find(({ labels }) => labels['host'] === host)?.series_id;
      assert.deepEqual(await ids('{"tags":{"host":"a","region":"eu"}}'), [idOf('a') ?? -1]);
      assert.deepEqual(await ids('{"tags":{"host":"a","region":"us"}}'), []);
      const any = await ids('{"tags":{"host":"a","region":"us"},"op":"or"}');
      assert.lengthOf(any, 4);
      assert.deepEqual(
        any,
        any.toSorted((a, b) => a - b),
      );
      assert.deepEqual(await ids('{"tags":{}}'), []);
      assert.deepEqual(await ids('{"tags":{"absent":"x"}}'), []);
      assert.deepEqual(await ids('{"tags":{"host":"absent"},"op":"or"}'), []);
      assert.deepEqual(await ids('{"tags":{"host":"ä\\"\\\\\\n"}}'), [idOf('ä"\\\n') ?? -1]);
    });

    it('query/find and a range read by id agree', async () => {
      const [id] = await ids('{"tags":{"floor":"1"}}');
      const answer = await client.get(`/api/v1/query/range?start=0&end=99&series_id=${String(id)}`);
      assert.strictEqual(answer.body, '[{"ts":40,"value":1}]');
    });
  };

  const asksForMetrics = (): void => {
    it('metrics/find returns descriptors by name, with counts and bounds', async () => {
      assert.strictEqual(
        await ask('metrics/find', '{}'),
        '[{"metric":"cpu.load","kind":"gauge","unit":"1","series_count":4,' +
          '"label_keys":["host","region"],"first_ts":-9223372036854775808,' +
          '"last_ts":9223372036854775807},' +
          '{"metric":"requests","kind":"counter","unit":"1","description":"All \\"requests\\"",' +
          '"series_count":1,"label_keys":["host"],"first_ts":50,"last_ts":50},' +
          '{"metric":"room","kind":"gauge","series_count":1,"label_keys":["floor","host"],' +
          '"first_ts":40,"last_ts":40}]',
      );
    });

    it('metrics/find counts the matching series only', async () => {
      assert.strictEqual(
        await ask('metrics/find', '{"labels":{"host":"a"}}'),
        '[{"metric":"cpu.load","kind":"gauge","unit":"1","series_count":1,' +
          '"label_keys":["host","region"],"first_ts":10,"last_ts":30},' +
          '{"metric":"room","kind":"gauge","series_count":1,"label_keys":["floor","host"],' +
          '"first_ts":40,"last_ts":40}]',
      );
      assert.strictEqual(await ask('metrics/find', '{"labels":{"host":"zz"}}'), '[]');
      const names = async (body: string) =>
        (JSON.parse(await ask('metrics/find', body)) as { metric: string }[]).map((m) => m.metric);
      assert.deepEqual(await names('{"prefix":"r"}'), ['requests', 'room']);
      assert.deepEqual(await names('{"prefix":"r","limit":1}'), ['requests']);
      assert.deepEqual(await names('{"prefix":"ro","labels":{"floor":1}}'), ['room']);
      assert.deepEqual(await names('{"prefix":"x"}'), []);
      assert.deepEqual(await names('{"limit":0}'), []);
      assert.deepEqual(await names('{"labels":{"host":"a"},"limit":1}'), ['cpu.load']);
    });
  };

  const asksForSeries = (): void => {
    it('series/find returns the series of one metric by id, ids exact', async () => {
      const text = await ask('series/find', '{"metric":"cpu.load","labels":{"host":"a"}}');
      assert.match(
        text,
        /^\[\{"series_id":\d{1,16},"metric":"cpu\.load","labels":\{"host":"a","region":"eu"\},"first_ts":10,"last_ts":30\}\]$/,
      );
      const all = await series('{"metric":"cpu.load"}');
      assert.lengthOf(all, 4);
      const found = all.map(({ series_id }) => series_id);
      assert.deepEqual(
        found,
        found.toSorted((a, b) => a - b),
      );
      assert.deepEqual(await series('{"metric":"cpu.load","limit":2}'), all.slice(0, 2));
      assert.deepEqual(await series('{"metric":"cpu.load","limit":9007199254740993}'), all);
      assert.deepEqual(await series('{"metric":"cpu.load","limit":0}'), []);
      assert.deepEqual(await series('{"metric":"cpu.load","labels":{}}'), all);
      assert.deepEqual(await series('{"metric":"cpu.load","labels":{},"op":"or"}'), all);
      const any = '{"metric":"cpu.load","labels":{"host":"b","region":"eu"},"op":"or"}';
      assert.lengthOf(await series(any), 2);
      assert.lengthOf(await series(any.replace('"or"', '"and"')), 0);
      assert.deepEqual(await series('{"metric":"cpu"}'), []);
      const odd = '{"metric":"cpu.load","labels":{"host":"ä\\"\\\\\\n"}}';
      assert.include(
        await ask('series/find', odd),
        '"labels":{"host":"ä\\"\\\\\\n","region":"us"}',
      );
    });

    it('labels/values returns the values of a key, sorted bytewise', async () => {
      const values = async (body: string): Promise<string[]> =>
        (JSON.parse(await ask('labels/values', body)) as { values: string[] }).values;
      assert.deepEqual(await values('{"key":"host"}'), ['a', 'b', 'ä"\\\n']);
      assert.deepEqual(await values('{"key":"host","metric":"requests"}'), ['b']);
      assert.deepEqual(await values('{"key":"host","metric":"absent"}'), []);
      assert.deepEqual(await values('{"key":"host","prefix":"ä"}'), ['ä"\\\n']);
      assert.deepEqual(await values('{"key":"host","prefix":"b","metric":"room"}'), []);
      assert.deepEqual(await values('{"key":"host","limit":1}'), ['a']);
      assert.deepEqual(await values('{"key":"host","metric":"cpu.load","limit":2}'), ['a', 'b']);
      assert.deepEqual(await values('{"key":"host","limit":0}'), []);
      assert.deepEqual(await values('{"key":"floor"}'), ['1']);
      assert.strictEqual(await ask('labels/values', '{"key":"absent"}'), '{"values":[]}');
    });
  };

  const asksForHealth = (): void => {
    it('metrics/health lists silent metrics and incomplete descriptors', async () => {
      assert.strictEqual(
        await ask('metrics/health', '{"inactive_before_ts":41}'),
        '[{"metric":"cpu.load","kind":"gauge","series_count":4,"inactive_series_count":3,' +
          '"inactive":false,"label_keys":["host","region"],"missing_metadata":["description"],' +
          '"first_ts":-9223372036854775808,"last_ts":9223372036854775807},' +
          '{"metric":"requests","kind":"counter","series_count":1,"inactive_series_count":0,' +
          '"inactive":false,"label_keys":["host"],"missing_metadata":[],' +
          '"first_ts":50,"last_ts":50},' +
          '{"metric":"room","kind":"gauge","series_count":1,"inactive_series_count":1,' +
          '"inactive":true,"label_keys":["floor","host"],' +
          '"missing_metadata":["kind","unit","description"],"first_ts":40,"last_ts":40}]',
      );
    });

    it('a last sample at the limit is active; without a time nothing is silent', async () => {
      const room = async (body: string) =>
        (JSON.parse(await ask('metrics/health', body)) as { inactive: boolean }[])[0]?.inactive;
      assert.isFalse(await room('{"prefix":"room","inactive_before_ts":40}'));
      assert.isTrue(await room('{"prefix":"room","inactive_before_ts":41}'));
      assert.isFalse(await room('{"prefix":"room"}'));
      const all = '"inactive_before_ts":9223372036854775807';
      assert.isTrue(await room(`{"labels":{"host":"a"},${all}}`));
      assert.strictEqual(await ask('metrics/health', `{"limit":0,${all}}`), '[]');
    });
  };

  const questions = (): void => {
    asksForIds();
    asksForMetrics();
    asksForSeries();
    asksForHealth();
  };

  describe('of samples in memory', questions);

  describe('after a kill and a WAL replay', () => {
    before(async () => {
      client.close();
      await server.kill();
      await start();
    });
    questions();
  });

  describe('after a clean stop, from segments', () => {
    before(async () => {
      client.close();
      await server.stop();
      await start();
    });
    questions();
  });

  describe('during ingest', () => {
    it('sees a series and its bounds as soon as its sample is acknowledged', async () => {
      for (let at = 0; at < 30; at++) {
        const labels = `{"n":"${String(at)}"}`;
        await ingest(`{"metric":"fresh","labels":${labels},"ts":${String(at)},"value":1}`);
        assert.lengthOf(await ids(`{"tags":${labels}}`), 1);
        assert.include(
          await ask('metrics/find', '{"prefix":"fresh"}'),
          `"series_count":${String(at + 1)},"label_keys":["n"],"first_ts":0,"last_ts":${String(at)}`,
        );
      }
      for (let at = 1; at < 30; at++) {
        const ts = [at, -at].map((one) => `{"metric":"moving","ts":${String(one)},"value":1}`);
        await ingest(ts.join('\n'));
        const bounds = `"first_ts":${String(-at)},"last_ts":${String(at)}`;
        assert.include(await ask('series/find', '{"metric":"moving"}'), bounds);
        assert.include(await ask('metrics/find', '{"prefix":"moving"}'), bounds);
      }
    });

    it('streams a list of many pieces whole and in order', async () => {
      const many: string[] = [];
      for (let at = 0; at < 20_000; at++) {
        many.push(`{"metric":"many","labels":{"id":"v${String(at)}","all":"x"},"ts":1,"value":1}`);
      }
      await ingest(many.join('\n'));
      const found = await series('{"metric":"many"}');
      assert.lengthOf(found, 20_000);
      const numbers = found.map(({ series_id }) => series_id);
      assert.isTrue(numbers.every((id, at) => at === 0 || (numbers[at - 1] ?? 0) < id));
      assert.deepEqual(await ids('{"tags":{"all":"x"}}'), numbers);
      const text = await ask('labels/values', '{"key":"id"}');
      const expected = Array.from({ length: 20_000 }, (_, at) => `v${String(at)}`).sort();
      assert.deepEqual(JSON.parse(text), { values: expected });
      assert.deepEqual(await series('{"metric":"many","limit":300}'), found.slice(0, 300));
      const ofMetric = await ask('labels/values', '{"key":"id","metric":"many"}');
      assert.strictEqual(ofMetric, text);
    });
  });
});
