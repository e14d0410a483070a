/** Several listener threads, which look like one server from outside. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { ask, transportNames, type Asked, type AskOptions } from '../support/admin-server.js';
import { certificateFiles, makeCertificate } from '../support/certificate.js';
import { allThreadsServe, listenerFlags } from '../support/listener-threads.js';
import { bigLines, codeOf, heavyQueries, seriesqlPath } from '../support/long-query.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const kThreads = 3;
/** The transport of the running tests. */
let transport = 'node';
/** Each request has its own connection, so that all threads get requests. */
const kRounds = 2 * kThreads;

interface Started {
  readonly server: Server;
  readonly dataDir: string;
  readonly ask: (target: string, options?: AskOptions) => Promise<Asked>;
}

/** With all threads at work. */
async function start(
  args: readonly string[] = [],
  { dataDir = temporaryDirectory(), secure = {} }: { dataDir?: string; secure?: AskOptions } = {},
): Promise<Started> {
  const more = [...listenerFlags(kThreads, transport), ...args];
  const admin = { SERIESDB_ADMIN_ENABLED: 'true', SERIESDB_ADMIN_LISTEN: '127.0.0.1:0' };
  const server = await startServer({ dataDir, args: more, env: admin });
  const asking = (target: string, options: AskOptions = {}): Promise<Asked> =>
    ask(server.port, target, { ...secure, ...options });
  await allThreadsServe(asking, kThreads);
  return { server, dataDir, ask: asking };
}

interface Sent {
  /** Resolves when the system has accepted the request's bytes. */
  readonly isSent: Promise<unknown>;
  /** The first line of the answer. */
  readonly head: Promise<string>;
}

/** Sends on a new connection. */
function send({ port }: Server, target: string): Sent {
  const socket = connect(port, '127.0.0.1');
  let came = '';
  socket.setEncoding('latin1').on('data', (text: string) => (came += text));
  const isSent = new Promise((resolve) => {
    const head = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    socket.write(head, resolve);
  });
  const head = new Promise<string>((resolve) => {
    socket.on('error', (error) => (came = error.message));
    socket.on('close', () => {
      resolve(came.split('\r\n', 1)[0] ?? '');
    });
  });
  return { isSent, head };
}

const line = (metric: string, at: number): string =>
  `${JSON.stringify({ metric, labels: {}, ts: at, value: at })}\n`;

const post = (body: string, type = 'application/json'): AskOptions => ({
  method: 'POST',
  headers: { 'content-type': type },
  body,
});

async function countOf({ ask: asking }: Started, metric: string): Promise<number> {
  const query = `select count(value) as n from ${metric} where time >= 0`;
  const { status, body } = await asking(seriesqlPath, post(JSON.stringify({ query })));
  assert.strictEqual(status, 200, body);
  const { rows } = JSON.parse(body) as { rows: readonly (readonly number[])[] };
  return rows[0]?.[0] ?? 0;
}

for (const name of transportNames) {
  describe(`several listener threads over ${name}`, function () {
    before(() => {
      transport = name;
    });
    this.timeout(60_000);
    afterEach(killServers);

    it("see each other's acknowledged samples, and share their counters", async () => {
      const started = await start();
      for (let at = 1; at <= kRounds; at += 1) {
        const { status } = await started.ask('/api/v1/ingest', post(line('m', at)));
        assert.strictEqual(status, 200);
        for (let look = 0; look < kThreads; look += 1) {
          assert.strictEqual(await countOf(started, 'm'), at);
        }
      }
      const { body } = await started.ask('/metrics');
      const written = `{route="/api/v1/ingest",method="POST",status="200"} ${String(kRounds)}`;
      assert.include(body, `seriesdb_http_requests_total${written}\n`);
      const asked = `method="POST",status="200"} ${String(kRounds * kThreads)}`;
      assert.include(body, `seriesdb_http_requests_total{route="${seriesqlPath}",${asked}\n`);
      assert.match(body, /^seriesdb_query_compile_success_total 18$/m);
      assert.strictEqual((await started.server.stop()).code, 0);
    });

    it('answer alike from state that only one thread holds', async () => {
      const started = await start();
      for (const target of [
        '/',
        '/status',
        '/metrics',
        '/debug/compat/stats',
        '/healthz',
        '/nowhere',
      ]) {
        const heads = await Promise.all(
          Array.from({ length: kRounds }, async () => {
            const { status, headers } = await started.ask(target);
            return [status, headers['content-type'], headers['content-security-policy']];
          }),
        );
        for (const head of heads) assert.deepEqual(head, heads[0], target);
      }
      const posted = await Promise.all(
        Array.from({ length: kRounds }, () => started.ask('/status', post('{}'))),
      );
      assert.deepEqual(new Set(posted.map(({ status }) => status)), new Set([405]));
      const empty = await Promise.all(
        Array.from({ length: kRounds }, () => started.ask('/status', { method: 'HEAD' })),
      );
      for (const { status, body, headers } of empty) {
        assert.deepEqual([status, body], [200, '']);
        assert.isAbove(Number(headers['content-length']), 100);
      }
    });

    it('lose no acknowledged sample on SIGTERM or SIGKILL', async () => {
      let started = await start();
      const { dataDir } = started;
      let at = 0;
      let acknowledged = 0;
      for (const end of ['stop', 'kill'] as const) {
        let isOver = false;
        const writers = Array.from({ length: kRounds }, async () => {
          while (!isOver) {
            const body = line('kept', (at += 1));
            const answer = await started.ask('/api/v1/ingest', post(body)).catch(() => null);
            if (answer?.status === 200) acknowledged += 1;
          }
        });
        await sleep(300);
        const exit = await started.server[end]();
        isOver = true;
        await Promise.all(writers);
        assert.strictEqual(exit.code, end === 'stop' ? 0 : null, exit.output);
        started = await start([], { dataDir });
        assert.isAtLeast(await countOf(started, 'kept'), acknowledged);
        assert.isAtMost(await countOf(started, 'kept'), at);
      }
      assert.isAbove(acknowledged, 10);
    });

    it("answer requests for another thread's query, also during a stop", async () => {
      const started = await start();
      const asked = Array.from({ length: 4 * kRounds }, () => send(started.server, '/metrics'));
      // Most connections, with their requests, wait to be accepted.
      await Promise.all(asked.map(({ isSent }) => isSent));
      const exit = await started.server.stop();
      assert.strictEqual(exit.code, 0, exit.output);
      const answers = await Promise.all(asked.map(({ head }) => head));
      assert.deepEqual(new Set(answers), new Set(['HTTP/1.1 200 OK']));
      assert.strictEqual(exit.output.match(/"level":"error"/g), null, exit.output);
    });

    it('switch tokens together: once a reload is answered, every thread uses them', async () => {
      const file = path.join(temporaryDirectory(), 'seriesdb.toml');
      const write = (token: string): void => {
        writeFileSync(file, `auth_token = "${token}"\n[admin]\ntoken = "operator-secret"\n`);
      };
      write('the-first-secret');
      const started = await start(['--config', file]);
      const statuses = async (token: string): Promise<ReadonlySet<number>> => {
        const headers = { authorization: `Bearer ${token}` };
        const body = line('m', 1);
        const asked = Array.from({ length: kRounds }, () =>
          started.ask('/api/v1/ingest', { method: 'POST', body, headers }),
        );
        return new Set((await Promise.all(asked)).map(({ status }) => status));
      };
      assert.deepEqual(await statuses('the-first-secret'), new Set([200]));
      write('another-secret-of-it');
      const authorization = 'Bearer operator-secret';
      const reload = { method: 'POST', headers: { authorization } };
      const reloaded = await ask(started.server.adminPort, '/__admin/reload', reload);
      assert.strictEqual(reloaded.status, 202, reloaded.body);
      assert.deepEqual(await statuses('the-first-secret'), new Set([401]));
      assert.deepEqual(await statuses('another-secret-of-it'), new Set([200]));
    });

    it('show a renewed certificate together', async () => {
      const [first, second] = [makeCertificate('first'), makeCertificate('second')];
      const { toml, write } = certificateFiles(first);
      const file = path.join(temporaryDirectory(), 'seriesdb.toml');
      writeFileSync(file, toml);
      const started = await start(['--config', file], { secure: { ca: first.cert } });
      for (const certificate of [second, first, second]) {
        write(certificate);
        const { adminPort } = started.server;
        const reload = { method: 'POST', ca: (certificate === first ? second : first).cert };
        assert.strictEqual((await ask(adminPort, '/__admin/reload', reload)).status, 202);
        for (let round = 0; round < kRounds; round += 1) {
          const shown = await started.ask('/healthz', { ca: certificate.cert });
          assert.deepEqual(
            [shown.status, shown.certificate],
            [200, certificate.cert && shown.certificate],
          );
        }
      }
    });

    it("share one query list and one limit, and cancel each other's queries", async () => {
      const started = await start(['--max-concurrent-queries', '2']);
      const { adminPort } = started.server;
      for (const lines of bigLines()) await started.ask('/api/v1/ingest', post(lines));
      const asked = Array.from({ length: 3 }, () =>
        started.ask(seriesqlPath, post(JSON.stringify({ query: heavyQueries.compiled }))),
      );
      const listed = async (): Promise<readonly { id: number; state: string }[]> => {
        const { body } = await ask(adminPort, '/__admin/queries');
        return (JSON.parse(body) as { queries: { id: number; state: string }[] }).queries;
      };
      let queries = await listed();
      while (queries.length < 3) queries = await listed();
      assert.strictEqual(new Set(queries.map(({ id }) => id)).size, 3);
      assert.strictEqual(queries.filter(({ state }) => state === 'running').length, 2);
      const threads = new Set(queries.map(({ id }) => (id - 1) % kThreads));
      assert.isAbove(threads.size, 1, 'all were asked of one thread');
      for (const { id } of queries) {
        const target = `/__admin/queries/${String(id)}`;
        const { body } = await ask(adminPort, target, { method: 'DELETE' });
        assert.deepEqual(JSON.parse(body), { status: 'cancelled' });
      }
      for (const answer of await Promise.all(asked)) {
        assert.strictEqual(codeOf(answer), 'query_cancelled');
      }
      assert.deepEqual(await listed(), []);
    });

    it('release a deleted snapshot', async () => {
      const started = await start();
      const { adminPort } = started.server;
      await started.ask('/api/v1/ingest', post(line('m', 1)));
      const snapshot = (what: 'create' | 'delete'): Promise<Asked> =>
        ask(adminPort, `/__admin/snapshot/${what}?name=s`, { method: 'POST' });
      assert.strictEqual((await snapshot('create')).status, 200);
      await started.ask('/api/v1/ingest', post(line('m', 2)));
      const past = (): Promise<Asked> =>
        started.ask(
          `${seriesqlPath}?as_of=s`,
          post(JSON.stringify({ query: 'select count(value) as n from m where time >= 0' })),
        );
      for (let round = 0; round < kRounds; round += 1) {
        assert.include((await past()).body, '"rows":[[1]]');
      }
      assert.strictEqual((await snapshot('delete')).status, 200);
      for (let round = 0; round < kRounds; round += 1) {
        assert.strictEqual(codeOf(await past()), 'snapshot_not_found');
      }
    });
  });
}
