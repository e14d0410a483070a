/** GET /api/v1/export: what it writes makes an equal database, and is what was asked for. */
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
    // What the command writes of the same database says the same.
    const command = ['export', '--format', 'csv'];
    const { out } = await runCli(command, { env: { SDB_URL: server.url } });
    expect(table.replaceAll(/(\d)e(?=\d)/g, '$1e+')).to.equal(out);
  });

  it('takes a metric, a prefix, labels, times and a state', async () => {
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

  it('leaves out values that no line can say, and counts them', async () => {
    const [, client] = await start('special');
    const staleBits = 0x7ff0000000000002n;
    const values = [1, NaN, Infinity, -Infinity, staleBits, 2, NaN];
    const samples = values.map((value, at) => [at + 1, value] as const);
    const nothing = [1, 2].map((ts) => [ts, NaN] as const);
    const body = writeRequest([
      { labels: { __name__: 'm' }, samples },
      { labels: { __name__: 'none' }, samples: nothing },
    ]);
    const { status } = await client.request('POST', '/api/v1/write', { body });
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
  });

  it('refuses what has no meaning, before it says 200', async () => {
    const [, client] = await start('refused');
    for (const [query, code] of [
      [{ format: 'xml' }, 'invalid_format'],
      [{ start: '2', end: '1' }, 'invalid_time_range'],
      [{ start: 'now' }, 'invalid_start'],
      [{ labels: '[]' }, 'invalid_labels'],
      [{ as_of: 'nothing' }, 'snapshot_not_found'],
      [{ step: '1' }, 'unknown_field'],
    ] as const) {
      const { status, body } = await ask(client, query);
      expect(status, JSON.stringify(query)).to.be.within(400, 404);
      expect((JSON.parse(body) as { code: string }).code).to.equal(code);
    }
  });

  it('ends when its reader leaves, and the server stops at once', async () => {
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
