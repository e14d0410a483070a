/** Memory of a server: reported by part, bounded by backpressure, and freed by a flush. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { parseExposition, sampleOf } from '../support/exposition-parser.js';
import { codeOf, seriesqlPath } from '../support/long-query.js';
import { ServerOfTest } from '../support/server-of-test.js';
import { isSanitized, killServers } from '../support/server.js';

const kMiB = 1024 * 1024;
const parts = [
  'memtable',
  'request',
  'index',
  'annotation',
  'tombstone',
  'segment',
  'commit',
  'line',
  'past',
  'query',
].map((part) => `memory_${part}_bytes`);

describe('memory', function () {
  this.timeout(60_000);
  const own = ServerOfTest.forEach();

  const figures = async (): Promise<Readonly<Record<string, number>>> => {
    const families = parseExposition((await own.client.get('/metrics')).body);
    const names = ['memory_limit_bytes', 'memory_used_bytes', ...parts];
    return Object.fromEntries(names.map((name) => [name, sampleOf(families, `seriesdb_${name}`)]));
  };
  const post = async (body: string) => await own.client.request('POST', '/api/v1/ingest', { body });
  const send = async (from: number, count: number) => {
    const line = (at: number) => `{"metric":"m","ts":${String(at)},"value":${String(at % 97)}}\n`;
    const body = Array.from({ length: count }, (_, at) => line(from + at)).join('');
    return await post(body);
  };

  it('is reported by part in /metrics and /status, and the parts sum to the total', async () => {
    await own.start('--memory-limit-bytes', '64MiB');
    assert.strictEqual((await send(0, 1000)).status, 200);
    const told = await figures();
    assert.strictEqual(told['memory_limit_bytes'], 64 * kMiB);
    const sum = parts.reduce((bytes, name) => bytes + (told[name] ?? NaN), 0);
    assert.strictEqual(told['memory_used_bytes'], sum);
    assert.isAtLeast(told['memory_memtable_bytes'] ?? 0, 1000 * 16);
    for (const name of ['index', 'commit', 'line']) {
      assert.isAbove(told[`memory_${name}_bytes`] ?? 0, 0, name);
    }
    const status = JSON.parse((await own.client.get('/status')).body) as Record<
      'memory' | 'index',
      Readonly<Record<string, number>>
    >;
    assert.deepEqual(status.memory, told);
    const ofIndex = Object.values(status.index).reduce((bytes, part) => bytes + part, 0);
    assert.strictEqual(ofIndex, told['memory_index_bytes']);
  });

  it('at its limit rejects ingest until a flush succeeds', async () => {
    await own.start('--memory-limit-bytes', '1MiB');
    // Segment files cannot be created.
    const tmp = path.join(own.dataDir, 'objects', 'tmp');
    rmSync(tmp, { recursive: true, force: true });
    mkdirSync(path.dirname(tmp), { recursive: true });
    writeFileSync(tmp, '');
    let sent = 0;
    let answer = await send(sent, 1000);
    while (answer.status === 200 && sent < 100_000) {
      sent += 1000;
      answer = await send(sent, 1000);
    }
    assert.deepEqual([answer.status, codeOf(answer)], [503, 'ingest_backpressure']);
    const full = (await figures())['memory_memtable_bytes'] ?? 0;
    // Permanent memory exceeds the limit. Ingest still gets an eighth of the limit, and not much
    // more, because memtables grow by the MiB.
    assert.isAtLeast(full, kMiB / 8);
    assert.isBelow(full, 2 * kMiB);

    rmSync(tmp);
    mkdirSync(tmp);
    while ((answer = await send(sent, 1000)).status === 503) await sleep(20);
    assert.strictEqual(answer.status, 200);
    // So the server flushes early, long before the memtable is full or due.
    while ((await figures())['memory_memtable_bytes'] !== 0) await sleep(20);
    const count = `select count(*) from m where time >= 0`;
    const counted = await own.client.request('POST', seriesqlPath, { body: count });
    assert.deepInclude(JSON.parse(counted.body), { rows: [[sent + 1000]] });
  });

  it('without room to parse a long line rejects it, and counts the rejection', async () => {
    await own.start('--memory-limit-bytes', '16MiB', '--max-line-bytes', '1MiB');
    const refusals = async (): Promise<number> => {
      const families = parseExposition((await own.client.get('/metrics')).body);
      return sampleOf(families, 'seriesdb_ingest_rejected_mem_limit_total');
    };
    const lineOf = (size: number) =>
      `{"metric":"m","ts":1,"value":1,"unknown":"${'x'.repeat(size)}"}\n`;
    // A line may take 48 times its bytes and 3 MiB: more than all memory, at any time. If its bytes
    // arrive slowly, the server refuses its beginning, which would fit into empty memory: 503.
    let never = await post(lineOf(512 * 1024));
    let refusedCount = 1;
    while (never.status === 503 && refusedCount < 20) {
      never = await post(lineOf(512 * 1024));
      refusedCount += 1;
    }
    assert.deepEqual([never.status, codeOf(never)], [413, 'payload_too_large'], never.body);
    assert.include(never.body, 'memory_limit_bytes');
    assert.strictEqual(await refusals(), refusedCount);

    // Segment files cannot be created, so samples stay in memory.
    const tmp = path.join(own.dataDir, 'objects', 'tmp');
    rmSync(tmp, { recursive: true, force: true });
    mkdirSync(path.dirname(tmp), { recursive: true });
    writeFileSync(tmp, '');
    let sent = 0;
    while (((await figures())['memory_memtable_bytes'] ?? 0) < 8 * kMiB) {
      assert.strictEqual((await send(sent, 20_000)).status, 200);
      sent += 20_000;
    }
    const now = await post(lineOf(128 * 1024));
    assert.deepEqual([now.status, codeOf(now)], [503, 'ingest_backpressure'], now.body);
    assert.include(now.body, 'a long line');
    assert.strictEqual(await refusals(), refusedCount + 1);
    assert.strictEqual((await post(lineOf(1024))).status, 200, 'shorter lines are read');

    rmSync(tmp);
    mkdirSync(tmp);
    let answer = await post(lineOf(128 * 1024));
    for (; answer.status === 503; answer = await post(lineOf(128 * 1024))) await sleep(20);
    assert.strictEqual(answer.status, 200, answer.body);
  });

  it("gives the parser's line cache at most an eighth of the limit", async () => {
    await own.start('--memory-limit-bytes', '4MiB');
    const line = (host: number) =>
      `{"metric":"m","labels":{"host":"h${String(host)}"},"ts":1,"value":1}\n`;
    const hosts = Array.from({ length: 500 }, (_, host) => host);
    let most = 0;
    for (let first = 0; first < 5000; first += hosts.length) {
      const body = hosts.map((host) => line(first + host)).join('');
      // A line is known from its second time on.
      for (let times = 0; times < 2;) {
        if ((await post(body)).status === 200) times += 1;
        else await sleep(20);
      }
      most = Math.max(most, (await figures())['memory_line_bytes'] ?? 0);
    }
    assert.isAbove(most, (4 * kMiB) / 16);
    // The thread's memory for parsing one line counts too.
    assert.isAtMost(most, (4 * kMiB) / 8 + 65_536);
  });

  it('includes discovery lists, and discovery fails without room for them', async () => {
    await own.start();
    for (let first = 0; first < 50_000; first += 5000) {
      const line = (at: number) =>
        `{"metric":"m","labels":{"host":"h${String(first + at)}"},"ts":1,"value":1}\n`;
      const body = Array.from({ length: 5000 }, (_, at) => line(at)).join('');
      assert.strictEqual((await post(body)).status, 200);
    }
    await own.server.stop();
    await own.start('--memory-limit-bytes', '1MiB');
    const find = async (labels: Readonly<Record<string, string>>) =>
      await own.client.request('POST', '/api/v1/series/find', {
        body: JSON.stringify({ metric: 'm', labels }),
      });
    const refused = await find({});
    assert.deepEqual([refused.status, codeOf(refused)], [422, 'query_limit_exceeded']);
    assert.strictEqual((await find({ host: 'h7' })).status, 200);
    assert.strictEqual((await figures())['memory_query_bytes'], 0);
  });

  it('returns to the system when an answer is sent, before garbage collection', async () => {
    const server = await own.start();
    assert.strictEqual((await send(0, 8000)).status, 200);
    const ask = async (times: number): Promise<number> => {
      for (let at = 0; at < times; at++) {
        const body = 'select time_bucket(1ms, time) as t, max(value) from m group by t';
        const { status } = await own.client.request('POST', seriesqlPath, { body });
        assert.strictEqual(status, 200);
      }
      return server.residentBytes();
    };
    const before = await ask(200);
    // Each query holds a quarter of a MiB of text.
    const more = (await ask(400)) - before;
    if (!isSanitized) assert.isBelow(more, 50 * kMiB);
  });

  it('without room rejects an expensive query, and answers a cheap one', async () => {
    await own.start('--memory-limit-bytes', '1MiB');
    for (let sent = 0; sent < 100_000;) {
      const answer = await send(sent, 5000);
      if (answer.status === 200) sent += 5000;
      else await sleep(20);
    }
    const ask = async (text: string) =>
      await own.client.request('POST', seriesqlPath, { body: `select ${text}` });
    for (const much of [
      'time, value from m where time >= 0 order by value',
      'time, value from m where time >= 0',
      'count(distinct value) from m where time >= 0',
      'time, sum(value) from m where time >= 0 group by time',
    ]) {
      const refused = await ask(much);
      assert.strictEqual(codeOf(refused), 'query_limit_exceeded', much);
      assert.include(refused.body, 'memory_limit_bytes = 1048576', much);
    }
    assert.strictEqual(codeOf(await ask('time, value from m where time < 1000')), 'ok');
    assert.strictEqual(codeOf(await ask('sum(value) from m where time >= 0')), 'ok');
    assert.strictEqual((await figures())['memory_query_bytes'], 0);
  });

  it('of series without samples is freed, also for the series limit', async () => {
    await own.start('--max-series', '2000', '--flush-interval-ms', '100');
    const line = (host: number, ts: number) =>
      `{"metric":"m","labels":{"host":"h${String(host)}"},"ts":${String(ts)},"value":1}\n`;
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => line(from + at, 1000)).join('');
    const answered = async (body: string) => (await post(body)).status;
    const run = async (body: string) => await own.client.request('POST', seriesqlPath, { body });
    const figure = async (name: string) =>
      sampleOf(parseExposition((await own.client.get('/metrics')).body), `seriesdb_${name}`);
    assert.strictEqual(await answered(many(0, 2000)), 200);
    assert.strictEqual(codeOf(await post(line(2000, 1))), 'series_limit');
    while ((await figure('flush_total')) === 0) await sleep(50);
    const removed = await run("delete from m where time between 0 and 2000 and tag.host != 'h7'");
    assert.strictEqual(removed.status, 200, removed.body);
    while ((await figure('index_generations_total')) === 0) await sleep(50);
    assert.strictEqual(await figure('series'), 1);
    assert.strictEqual(await answered(many(2000, 1500)), 200);
    assert.strictEqual(await answered(line(8, 3000)), 200);
    const h8 = await run("select time, value from m where tag.host = 'h8' and time >= 0");
    assert.include(h8.body, '"rows":[[3000,1]]');
    own.client.close();
    await killServers();
    await own.start('--max-series', '2000');
    assert.strictEqual(await figure('series'), 1502);
    const found = await run('select tag.host, count(value) from m group by tag.host limit 2');
    assert.include(found.body, '"rows":[["h2000",1],["h2001",1]]');
  });
});
