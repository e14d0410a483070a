/** The exact requests of Telegraf's two InfluxDB outputs, and how they interpret the answers. */
import { gzipSync } from 'node:zlib';

import { expect } from 'chai';

import { Client, type Answer } from '../../support/client.js';
import { startInjected } from '../../support/http-server.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';
import { pointsOf } from './stored.js';

const agent = { 'user-agent': 'Telegraf/1.30.0 Go/1.22.0' };
const plain = { ...agent, 'content-type': 'text/plain; charset=utf-8' };
/** Metrics in its serializer's format: floats, integers, booleans, texts, a sorted set of tags. */
const metrics =
  'cpu,cpu=cpu0,host=box usage_idle=98.5,usage_user=1.25 1700000000000000000\n' +
  'system,host=box load1=0.25,n_cpus=8i,uptime=12345i 1700000000000000000\n' +
  'system,host=box uptime_format="3:25" 1700000000000000000\n' +
  'disk,host=box,path=/mnt/a\\ b free=9007199254740993i,ok=true 1700000000000000000\n';

describe('Telegraf', function () {
  this.timeout(60_000);
  let server: Server;
  let client: Client;

  before(async () => {
    const env = {
      ...{ SERIESDB_AUTH_TOKEN: 't', SERIESDB_MAX_BODY_BYTES: '4096' },
      ...{ SERIESDB_INFLUX_SEPARATOR: '_', SERIESDB_INFLUX_DATABASE_LABEL: 'db' },
    };
    server = await startServer({ dataDir: temporaryDirectory(), env });
    client = new Client(server.port);
  });
  after(async () => {
    client.close();
    await killServers();
  });

  const post = (target: string, body: string | Uint8Array, headers: Record<string, string>) =>
    client.request('POST', target, { body, headers });
  const authorization = `Basic ${Buffer.from('telegraf:t').toString('base64')}`;

  it('with its output for version 1 creates its database and then writes', async () => {
    const form = { ...agent, 'content-type': 'application/x-www-form-urlencoded', authorization };
    const made = await post('/query', 'q=CREATE+DATABASE+%22telegraf%22', form);
    // Telegraf checks each result for an error.
    expect(made.status).to.equal(200);
    expect(JSON.parse(made.body)).to.deep.equal({ results: [{ statement_id: 0 }] });
    const encoding = { ...plain, authorization, 'content-encoding': 'gzip' };
    const target = '/write?db=telegraf&rp=&consistency=any';
    // After any other success Telegraf sends the batch again.
    expect((await post(target, gzipSync(metrics), encoding)).status).to.equal(204);
    const labels = { host: 'box', db: 'telegraf' };
    const read = (metric: string, more = {}) =>
      pointsOf(server.port, metric, { ...labels, ...more }, 't');
    expect(await read('cpu_usage_idle', { cpu: 'cpu0' })).to.deep.equal([[1700000000000n, 98.5]]);
    expect(await read('system_n_cpus')).to.deep.equal([[1700000000000n, 8]]);
    expect(await read('disk_free', { path: '/mnt/a b' })).to.deep.equal([
      [1700000000000n, 2 ** 53],
    ]);
    expect(await read('system_uptime_format')).to.deep.equal([]);
  });

  it('with its output for version 2 writes buckets', async () => {
    const headers = { ...plain, authorization: 'Token t' };
    const answer = await post('/api/v2/write?bucket=b&org=o&precision=ns', metrics, headers);
    expect(answer.status).to.equal(204);
    const labels = { host: 'box', db: 'b', cpu: 'cpu0' };
    expect(await pointsOf(server.port, 'cpu_usage_user', labels, 't')).to.have.length(1);
  });

  it('halves a batch until it is small enough', async () => {
    const headers = { ...plain, authorization: 'Token t' };
    const answers: Answer[] = [];
    const send = async (lines: readonly string[]): Promise<void> => {
      const answer = await post('/api/v2/write?bucket=b&org=o', lines.join(''), headers);
      answers.push(answer);
      if (answer.status !== 413) return;
      const half = Math.floor(lines.length / 2);
      await send(lines.slice(0, half));
      await send(lines.slice(half));
    };
    await send(Array.from({ length: 200 }, (_, at) => `batch value=${at} ${at + 1}000000\n`));
    expect(JSON.parse(answers[0]?.body ?? '')).to.include({ code: 'request too large' });
    expect(answers.filter(({ status }) => status === 204)).to.have.length(2);
    expect(await pointsOf(server.port, 'batch', { db: 'b' }, 't')).to.have.length(200);
  });

  it('drops bad lines and recognizes the reason by its keyword', async () => {
    const body = `good value=1 1\n${metrics.slice(0, 30)}\n`;
    const one = await post('/write?db=telegraf', body, { ...plain, authorization });
    expect(one.status).to.equal(400);
    // Without these words Telegraf would keep the whole batch.
    expect((JSON.parse(one.body) as { error: string }).error).to.contain('partial write');
    const two = await post('/api/v2/write?bucket=b', body, { ...plain, authorization });
    expect([two.status, (JSON.parse(two.body) as { code: string }).code]).to.deep.equal([
      400,
      'invalid',
    ]);
  });

  it('keeps its batch if the token is wrong', async () => {
    const headers = { ...plain, authorization: 'Token x' };
    const two = await post('/api/v2/write?bucket=b', metrics, headers);
    expect([two.status, JSON.parse(two.body)]).to.deep.equal([
      401,
      { code: 'unauthorized', message: 'authorization failed' },
    ]);
  });

  it('waits as long as a busy server says', async () => {
    const busy = startInjected();
    busy.storage.beginError = 'ingest_backpressure';
    for (const target of ['/write?db=telegraf', '/api/v2/write?bucket=b']) {
      const answer = await busy.ask(target, { body: 'm value=1 1\n', headers: plain });
      expect(answer.status).to.equal(503);
      expect(answer.headers.get('retry-after')).to.match(/^\d+$/);
    }
    busy.close();
  });
});
