/** GET /api/v1/export: its output makes an equal database, and matches the request. */
import path from 'node:path';

import { expect } from 'chai';

import { runCli } from '../support/cli.js';
import { Client, type Answer } from '../support/client.js';
import { Random, testSeed } from '../support/random.js';
import { randomLines } from '../support/random-lines.js';
import { writeRequest } from '../support/remote-write.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

describe('export over HTTP', function () {
  this.timeout(120_000);
  const folder = temporaryDirectory();
  const clients: Client[] = [];
  after(async () => {
    for (const client of clients) client.close();
    await killServers();
  });

  async function start(name: string): Promise<[Server, Client]> {
    const server = await startServer({ dataDir: path.join(folder, name) });
    const client = new Client(server.port);
    clients.push(client);
    return [server, client];
  }
  const ask = (client: Client, query: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    client.request('GET', `/api/v1/export?${new URLSearchParams(query).toString()}`);
  async function textOf(client: Client, query?: Readonly<Record<string, string>>) {
    const { status, body } = await ask(client, query);
    expect(status, body).to.equal(200);
    return body;
  }
  async function store(client: Client, lines: string): Promise<void> {
    const { status, body } = await client.request('POST', '/api/v1/ingest', { body: lines });
    expect(status, body).to.equal(200);
  }

  it(`writes lines that make an equal database (seed ${String(testSeed)})`, async () => {
    const [, first] = await start('first');
    await store(first, randomLines(new Random(testSeed), 20_000));
    const lines = await textOf(first);
    expect(lines.split('\n').length).to.be.above(10_000);
    expect(lines).to.include(
      '{"kind":"counter","unit":"B/\\"s\\"","description":"a\\nb","metric":"m0",',
    );
    const [, second] = await start('second');
    await store(second, lines);
    expect(await textOf(second)).to.equal(lines);
    const [, merged] = await start('merged');
    await store(merged, lines + lines);
    expect(await textOf(merged)).to.equal(lines);
  });

  it(`writes a table that makes an equal database (seed ${String(testSeed)})`, async () => {
    const [server, first] = await start('table');
    await store(first, randomLines(new Random(testSeed + 1), 5_000));
    const table = await textOf(first, { format: 'csv' });
    const [other, second] = await start('from-table');
    const file = ['ingest', '--format', 'csv'];
    const loaded = await runCli(file, { env: { SDB_URL: other.url }, input: table });
    expect(loaded.code, loaded.err).to.equal(0);
    expect(await textOf(second)).to.equal(await textOf(first));
    // The command's output for the same database has the same content.
    const command = ['export', '--format', 'csv'];
    const { out } = await runCli(command, { env: { SDB_URL: server.url } });
    expect(out).to.equal(table);
    const lines = await runCli(['export'], { env: { SDB_URL: server.url } });
    expect(lines.out).to.equal(await textOf(first));
  });

  it('filters by metric, prefix, labels and times, and reads a past state', async () => {
    const [, client] = await start('parts');
    const line = (metric: string, host: string, ts: number) =>
      `{"metric":"${metric}","labels":{"host":"${host}"},"ts":${String(ts)},"value":1}\n`;
    const at = [1, 2, 3];
    const all = ['cpu.a', 'cpu.b', 'mem']
      .map((metric) => at.map((ts) => line(metric, 'x', ts)).join(''))
      .join('');
    await store(client, all);
    expect(await textOf(client)).to.equal(all);
    const cpu = at.map((ts) => line('cpu.a', 'x', ts)).join('');
    expect(await textOf(client, { metric: 'cpu.a' })).to.equal(cpu);
    expect(await textOf(client, { metric: 'cpu.a', prefix: 'mem' })).to.equal(cpu);
    expect(await textOf(client, { prefix: 'cpu.', start: '2', end: '2' })).to.equal(
      line('cpu.a', 'x', 2) + line('cpu.b', 'x', 2),
    );
    expect(await textOf(client, { labels: '{"host":"y"}' })).to.equal('');
    expect(await textOf(client, { metric: 'none', format: 'csv' })).to.equal(
      'ts_ms,metric,value\n',
    );
    const csv = { metric: 'mem', format: 'csv', labels: '{"host":"x"}', start: '3' };
    expect(await textOf(client, csv)).to.equal('ts_ms,metric,value,host\n3,mem,1,x\n');
    const types = await Promise.all([ask(client), ask(client, { format: 'csv' })]);
    expect(types.map(({ headers }) => headers['content-type'])).to.deep.equal([
      'application/x-ndjson',
      'text/csv; charset=utf-8',
    ]);
  });

  it('combines selectors by "or", and with the other filters by "and"', async () => {
    const [, client] = await start('selectors');
    const line = (metric: string, labels: object, ts = 1): string =>
      `{"metric":"${metric}","labels":${JSON.stringify(labels)},"ts":${String(ts)},"value":1}\n`;
    const [one, two, three] = [
      line('a.b', { host: 'x', zone: '1' }),
      line('a.b', { host: 'y' }),
      line('ab', { host: 'x' }),
    ] as const;
    await store(client, one + two + three);
    const matched = async (...pairs: readonly (readonly [string, string])[]): Promise<string[]> => {
      const query = new URLSearchParams(
        pairs.map(([key, value]): [string, string] => [key, value]),
      );
      const { status, body } = await client.request('GET', `/api/v1/export?${query.toString()}`);
      expect(status, body).to.equal(200);
      return body
        .split('\n')
        .filter((text) => text !== '')
        .sort();
    };
    const match = (text: string): readonly [string, string] => ['match[]', text];
    const sorted = (...lines: readonly string[]) => lines.map((text) => text.trimEnd()).sort();
    expect(await matched(match('{host="x"}'))).to.deep.equal(sorted(one, three));
    expect(await matched(match('ab'), match('{host="y"}'))).to.deep.equal(sorted(two, three));
    const overlapping = [match('{host=~".+"}'), match('{zone="1"}'), match('ab')];
    expect(await matched(...overlapping)).to.deep.equal(sorted(one, two, three));
    expect(await matched(match('{host="x"}'), ['prefix', 'a.'])).to.deep.equal(sorted(one));
    expect(await matched(match('{host="x"}'), ['metric', 'ab'])).to.deep.equal(sorted(three));
    expect(await matched(match('{host="x",zone=""}'))).to.deep.equal(sorted(three));
    const labelled = [match('{host=~".+"}'), ['labels', '{"zone":"1"}'] as const] as const;
    expect(await matched(...labelled)).to.deep.equal(sorted(one));
    expect(await matched(match('nothing'))).to.deep.equal([]);
    const table = await matched(match('ab'), match('{zone="1"}'), ['format', 'csv']);
    expect(table).to.deep.equal(['1,a.b,1,x,1', '1,ab,1,x,', 'ts_ms,metric,value,host,zone']);
  });

  it('skips values that a line cannot express, and counts them', async () => {
    const [server, client] = await start('special');
    const staleBits = 0x7ff0000000000002n;
    const values = [1, NaN, Infinity, -Infinity, staleBits, 2, NaN];
    const samples = values.map((value, at) => [at + 1, value] as const);
    const nothing = [1, 2].map((ts) => [ts, NaN] as const);
    const body = writeRequest([
      { labels: { __name__: 'm' }, samples },
      { labels: { __name__: 'none' }, samples: nothing },
    ]);
    const headers = { 'content-encoding': 'identity' };
    const { status } = await client.request('POST', '/api/v1/write', { body, headers });
    expect(status).to.equal(204);
    expect(await textOf(client)).to.equal(
      '{"metric":"m","labels":{},"ts":1,"value":1}\n{"metric":"m","labels":{},"ts":6,"value":2}\n',
    );
    const leftOut = async (): Promise<string | undefined> => {
      const { body: text } = await client.request('GET', '/metrics');
      return /^seriesdb_export_left_out_total (\d+)$/m.exec(text)?.[1];
    };
    expect(await leftOut()).to.equal('6');
    expect(await textOf(client, { format: 'csv', prefix: 'none' })).to.equal(
      'ts_ms,metric,value\n',
    );
    expect(await leftOut()).to.equal('8');
    const totals = await textOf(client, { totals: 'true' });
    expect(totals).to.match(/"ts":6,"value":2}\n\{"samples":2,"left_out":6}\n$/);
    for (const format of ['ndjson', 'csv']) {
      const command = ['export', '--json', '--format', format];
      const { code, err } = await runCli(command, { env: { SDB_URL: server.url } });
      expect([code, err]).to.deep.equal([4, '{"samples":2,"left":6,"late":0}\n']);
    }
  });

  it('rejects invalid requests before it answers 200', async () => {
    const [, client] = await start('refused');
    for (const [query, code] of [
      [{ format: 'xml' }, 'invalid_format'],
      [{ format: 'csv', totals: 'true' }, 'invalid_flag'],
      [{ totals: '1' }, 'invalid_flag'],
      [{ start: '2', end: '1' }, 'invalid_time_range'],
      [{ start: 'soon' }, 'invalid_start'],
      [{ labels: '[]' }, 'invalid_labels'],
      [{ as_of: 'nothing' }, 'snapshot_not_found'],
      [{ step: '1' }, 'unknown_field'],
      [{ 'match[]': '(' }, 'parse_failed'],
      [{ 'match[]': '{}' }, 'parse_failed'],
      [{ 'match[]': 'up[5m]' }, 'parse_failed'],
      [{ 'match[]': 'sum(up)' }, 'parse_failed'],
    ] as const) {
      const { status, body } = await ask(client, query);
      expect(status, JSON.stringify(query)).to.be.within(400, 404);
      expect((JSON.parse(body) as { code: string }).code).to.equal(code);
    }
  });

  it('ends when its reader disconnects, and the server can stop at once', async () => {
    const [server, client] = await start('left');
    const lines = Array.from(
      { length: 200_000 },
      (_, at) => `{"metric":"m","ts":${String(at)},"value":${String(at)}}\n`,
    );
    await store(client, lines.join(''));
    for (let again = 0; again < 5; again++) {
      const aborted = new AbortController();
      const answer = await fetch(`${server.url}/api/v1/export`, { signal: aborted.signal });
      const reader = answer.body?.getReader();
      await reader?.read();
      aborted.abort();
    }
    expect((await textOf(client)).split('\n')).to.have.lengthOf(200_001);
    expect((await server.stop()).code).to.equal(0);
  });
});
