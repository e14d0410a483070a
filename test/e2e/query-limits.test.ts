/** SeriesQL's limits through the public API, with either engine. */

import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from 'chai';

import { Client } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';
import {
  askAndWait,
  bigLines,
  codeOf,
  heavyQueries,
  seriesqlPath as path,
} from '../support/long-query.js';

const hosts = 11;
const samplesPerHost = 100;

function smallLines(): string {
  const lines: string[] = [];
  for (let host = 0; host < hosts; host++) {
    for (let at = 0; at < samplesPerHost; at++) {
      lines.push(`{"metric":"m","labels":{"host":"${host}"},"ts":${at},"value":${at}}\n`);
    }
  }
  lines.push('{"metric":"m","labels":{"host":"x"},"ts":0,"value":1}\n');
  for (let host = 0; host < hosts; host++) {
    lines.push(`{"metric":"n","labels":{"host":"${host}"},"ts":0,"value":1}\n`);
  }
  return lines.join('');
}

for (const mode of ['compiled', 'legacy'] as const) {
  describe(`limits of queries, ${mode}`, () => {
    const folders: string[] = [];
    const clients: Client[] = [];
    const start = async (...args: string[]): Promise<{ server: Server; client: Client }> => {
      const dataDir = temporaryDirectory();
      folders.push(dataDir);
      const all = ['--query-compiler-mode', mode, ...args];
      const server = await startServer({ dataDir, args: all });
      const client = new Client(server.port);
      clients.push(client);
      return { server, client };
    };
    afterEach(async () => {
      for (const client of clients.splice(0)) client.close();
      await killServers();
      folders.splice(0).forEach(removeDirectory);
    });

    it('of rows, series and samples are exact', async () => {
      const limits = ['--max-query-rows', '50', '--max-query-series', '10'];
      const { client } = await start(...limits, '--max-query-samples', '500');
      await client.ingest(smallLines());
      const code = async (text: string) =>
        codeOf(await client.request('POST', path, { body: text }));
      const one = "select time, value from m{host='1'} where";
      expect(await code(`${one} time between 0 and 49`)).to.equal('ok');
      expect(await code(`${one} time between 0 and 50`)).to.equal('query_limit_exceeded');
      expect(await code(`${one} time >= 0 limit 50`)).to.equal('ok');
      expect(await code(`${one} time >= 0 limit 50 offset 50`)).to.equal('ok');
      expect(await code(`${one} time >= 0 limit 51`)).to.equal('query_limit_exceeded');
      // Skipped rows do not count as rows of the answer.
      expect(await code(`${one} time >= 0 limit 20 offset 80`)).to.equal('ok');
      expect(await code(`${one} time >= 0 limit 60 offset 60`)).to.equal('ok');
      expect(await code(`${one} time >= 0 limit 60 offset 49`)).to.equal('query_limit_exceeded');
      expect(await code(`${one} time >= 0 order by time desc limit 50`)).to.equal('ok');
      expect(await code(`${one} time >= 0 order by value desc limit 50`)).to.equal('ok');
      const groups = `select time, count(*) from m{host='1'}`;
      expect(await code(`${groups} where time < 50 group by time`)).to.equal('ok');
      expect(await code(`${groups} where time < 51 group by time`)).to.equal(
        'query_limit_exceeded',
      );
      const keyed = `select time % 1000, count(*) from m{host='1'}`;
      expect(await code(`${keyed} where time < 50 group by time % 1000`)).to.equal('ok');
      expect(await code(`${keyed} where time < 51 group by time % 1000`)).to.equal(
        'query_limit_exceeded',
      );
      const sum = (hosts: number, more = '') => {
        const list = Array.from({ length: hosts }, (_, at) => `'${at}'`).join(', ');
        return code(`select sum(value) from m where tag.host in (${list}${more}) and time >= 0`);
      };
      expect(await sum(5)).to.equal('ok');
      expect(await sum(5, ", 'x'")).to.equal('query_limit_exceeded');
      const part = (end: number) =>
        code(
          `select sum(value) from m where tag.host not in ('x', '10') and time between 1 and ${end}`,
        );
      expect(await part(50)).to.equal('ok');
      expect(await part(51)).to.equal('query_limit_exceeded');
      expect(await code('select tag.host from m')).to.equal('ok');
      // These read no samples either.
      const odd = "from m where concat(tag.host, metric) != 'x'";
      expect(await code(`select tag.host ${odd}`)).to.equal('ok');
      expect(await code(`show label values for host ${odd}`)).to.equal('ok');
      const ofNames = (names: string) =>
        code(`select sum(value) from n{host=~'${names}'} where time = 0`);
      expect(await ofNames('^.$')).to.equal('ok');
      expect(await ofNames('')).to.equal('query_limit_exceeded');
    });

    it('of time ends a query', async function () {
      this.timeout(60_000);
      const { client } = await start('--query-timeout-ms', '5');
      for (const lines of bigLines()) await client.ingest(lines);
      const body =
        'select count(distinct value), median(value * 2), median(value) from big where time >= 0';
      const answer = await client.request('POST', path, { body });
      expect([answer.status, codeOf(answer)]).to.deep.equal([504, 'query_timeout']);
      // On a busy machine a short query may sometimes take 5 ms.
      const short = async () => codeOf(await client.request('POST', path, { body: 'select 1' }));
      let code = await short();
      for (let tries = 1; code !== 'ok' && tries < 20; tries++) code = await short();
      expect(code).to.equal('ok');
    });

    it('of rows reject the rows that FILL would add before samples are read', async function () {
      this.timeout(60_000);
      const { client, server } = await start();
      for (const lines of bigLines()) await client.ingest(lines);
      const sums = Array.from({ length: 1000 }, (_, at) => `sum(value * ${at})`).join(', ');
      const where = 'where time >= 0 and time < 31000000000';
      const body = `select time_bucket(1s, time) as t, ${sums} from big ${where} group by t fill(previous)`;
      const before = server.cpuSeconds();
      const answer = await client.request('POST', path, { body });
      expect([answer.status, codeOf(answer)]).to.deep.equal([422, 'query_limit_exceeded']);
      expect(answer.body).to.include('more than 1000000 rows');
      expect(server.cpuSeconds() - before).to.be.below(0.5);
    });

    it('of concurrent queries make others wait until a client disconnects', async function () {
      this.timeout(60_000);
      const { client, server } = await start('--max-concurrent-queries', '1');
      for (const lines of bigLines()) await client.ingest(lines);
      const giveUp = await askAndWait(
        server.port,
        `select ${'time, value, '.repeat(8)} value from big where time >= 0`,
      );
      await sleep(300);
      const ask = (body: string) => client.request('POST', path, { body });
      const busy = await ask('insert into n values (1, 1)');
      expect([busy.status, codeOf(busy)]).to.deep.equal([503, 'too_many_queries']);
      const others = [
        heavyQueries[mode],
        `explain analyze ${heavyQueries[mode]}`,
        'delete from big where time between 1 and 2',
      ];
      const answers = await Promise.all(others.map(ask));
      expect(answers.map(codeOf)).to.deep.equal(others.map(() => 'too_many_queries'));
      // Short queries have separate places.
      const short = ['select 1', 'show metrics', 'explain select 1', 'select nothing from'];
      const given = [];
      for (const body of short) given.push(codeOf(await ask(body)));
      expect(given).to.deep.equal(['ok', 'ok', 'ok', 'parse_failed']);
      expect(Number(busy.headers['retry-after'])).to.be.at.least(1);
      giveUp();
      // Its place is free as soon as the server notices; the limit of the test ends the wait.
      while (codeOf(await ask('insert into n values (1, 1)')) !== 'ok') await sleep(10);
    });
  });
}

describe('a query of the interpreter', () => {
  const directory = temporaryDirectory();
  after(async () => {
    await killServers();
    removeDirectory(directory);
  });

  it('stops when its client disconnects', async function () {
    this.timeout(60_000);
    const args = ['--query-compiler-mode', 'legacy'];
    const server = await startServer({ dataDir: directory, args });
    const client = new Client(server.port);
    for (const lines of bigLines()) await client.ingest(lines);
    const columns = Array.from({ length: 40 }, (_, at) => `percentile(value, 0.${at + 10})`);
    const body = `select ${columns.join(', ')} from big where time >= 0`;
    const before = server.cpuSeconds();
    expect(codeOf(await client.request('POST', path, { body }))).to.equal('ok');
    const whole = server.cpuSeconds() - before;
    const giveUp = await askAndWait(server.port, body);
    await sleep(50);
    giveUp();
    const left = server.cpuSeconds();
    await sleep(whole * 2000);
    client.close();
    expect(server.cpuSeconds() - left).to.be.below(whole / 2);
  });
});

describe('a long answer of the compiled engine', () => {
  const directory = temporaryDirectory();
  after(async () => {
    await killServers();
    removeDirectory(directory);
  });

  it('is produced only as it is read, and stops when its client disconnects', async function () {
    this.timeout(60_000);
    const server = await startServer({ dataDir: directory });
    const client = new Client(server.port);
    for (const lines of bigLines()) await client.ingest(lines);
    // About 130 MB, of which sockets hold some.
    const body = `select ${'time, value, '.repeat(8)} value from big where time >= 0`;
    const before = server.cpuSeconds();
    expect(codeOf(await client.request('POST', path, { body }))).to.equal('ok');
    const whole = server.cpuSeconds() - before;
    const asked = server.cpuSeconds();
    const giveUp = await askAndWait(server.port, body);
    await sleep(whole * 1000 + 300);
    expect(server.cpuSeconds() - asked).to.be.below(whole / 2);
    giveUp();
    await sleep(100);
    const left = server.cpuSeconds();
    await sleep(whole * 1000);
    expect(server.cpuSeconds() - left).to.be.below(whole / 4);
    expect(codeOf(await client.request('POST', path, { body: 'select 1' }))).to.equal('ok');
    client.close();
  });
});
