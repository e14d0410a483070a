import { existsSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { Client, maximumTs, minimumTs } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  runCommand,
  serveArguments,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

const everything = { start: minimumTs, end: maximumTs };

describe('the life of a server', function () {
  this.timeout(60_000);
  let dataDir = '';

  beforeEach(() => {
    dataDir = temporaryDirectory();
  });
  afterEach(async () => {
    await killServers();
    removeDirectory(dataDir);
  });

  it('SIGTERM and SIGINT end it with exit code 0', async () => {
    const first = await startServer({ dataDir });
    assert.strictEqual((await first.stop()).code, 0);
    const second = await startServer({ dataDir });
    process.kill(second.pid, 'SIGINT');
    assert.strictEqual((await second.exit).code, 0);
  });

  for (const ending of ['stop', 'kill'] as const) {
    it(`data survives ${ending} and a restart, and one more restart`, async () => {
      let server = await startServer({ dataDir });
      let client = new Client(server.port);
      await client.ingest('{"metric":"m","labels":{"a":"b"},"ts":9007199254740993,"value":-0}');
      for (let times = 0; times < 2; times++) {
        client.close();
        await server[ending]();
        server = await startServer({ dataDir });
        client = new Client(server.port);
        const samples = await client.rangeGet({ metric: 'm', labels: { a: 'b' }, ...everything });
        assert.deepEqual(samples, [{ ts: 9007199254740993n, value: -0 }]);
      }
      client.close();
      await server.stop();
    });
  }

  it('a clean stop flushes all samples to segments', async () => {
    const server = await startServer({ dataDir });
    const client = new Client(server.port);
    await client.ingest('{"metric":"m","ts":1,"value":1}');
    client.close();
    await server.stop();
    assert.isTrue(existsSync(path.join(dataDir, 'segments')));
  });

  it('a second server on the directory refuses to start and names the owner process', async () => {
    const server = await startServer({ dataDir });
    const { code, output } = await runCommand(serveArguments({ dataDir }));
    assert.isAbove(code ?? 0, 0, output);
    assert.include(output, `LOCK is held by process ${server.pid}; stop it, wait`);
    assert.include(output, 'another --data-dir');
    const client = new Client(server.port);
    assert.strictEqual((await client.get('/healthz')).status, 200);
    client.close();
    await server.stop();
  });

  it('a first start with a port in use creates no directory', async () => {
    const server = await startServer({ dataDir });
    const fresh = path.join(temporaryDirectory(), 'fresh');
    const listen = `127.0.0.1:${server.port}`;
    const args = ['serve', '--listen', listen, '--data-dir', fresh];
    const { code, output } = await runCommand(args);
    assert.strictEqual(code, 1, output);
    assert.match(output, /cannot listen on 127\.0\.0\.1:\d+: .*--listen takes another address/);
    assert.isFalse(existsSync(fresh));
    await server.stop();
  });

  it('a killed server leaves no lock behind', async () => {
    const server = await startServer({ dataDir });
    await server.kill();
    const next = await startServer({ dataDir });
    assert.strictEqual((await next.stop()).code, 0);
  });

  it('a server that can no longer write its WAL says so on stop, with exit code 1', async () => {
    const server = await startServer({ dataDir, fileLimitKib: 64 });
    const client = new Client(server.port);
    await client.ingest('{"metric":"m","ts":1,"value":1}');
    const lines = Array.from({ length: 20_000 }, (_, at) => {
      return `{"metric":"m","ts":${String(at + 2)},"value":${String(Math.sin(at))}}`;
    });
    const body = lines.join('\n');
    const refused = await client.request('POST', '/api/v1/ingest', { body });
    assert.strictEqual(refused.status, 503, refused.body);
    assert.include(refused.body, 'storage_unavailable');
    client.close();
    const { code, output } = await server.stop();
    assert.strictEqual(code, 1, output);
    const end =
      /the database did not stop cleanly","reason":"cannot write the WAL: [^"]*\.wal: [^"]+"/;
    assert.match(output, end);
    // The acknowledged samples are there once there is room again.
    const next = await startServer({ dataDir });
    const reader = new Client(next.port);
    const first = { metric: 'm', labels: {}, start: 0n, end: 1n };
    assert.deepEqual(await reader.rangeGet(first), [{ ts: 1n, value: 1 }]);
    reader.close();
    assert.strictEqual((await next.stop()).code, 0);
  });

  it('service-link variables of a platform are ignored with a warning', async () => {
    const links = {
      SERIESDB_PORT: 'tcp://10.0.0.7:8080',
      SERIESDB_PORT_8080_TCP_ADDR: '10.0.0.7',
      SERIESDB_SERVICE_HOST: '10.0.0.7',
    };
    const server = await startServer({ dataDir, env: links });
    const { code, output } = await server.stop();
    assert.strictEqual(code, 0, output);
    const told = output.split('\n').filter((line) => line.includes('service link'));
    assert.lengthOf(told, 3, output);
    Object.keys(links).forEach((name, at) => {
      assert.include(told[at], '"level":"warn"');
      assert.include(told[at], `"name":"${name}"`);
    });
    // A name that only resembles a setting is refused, like a misspelt setting.
    const other = await runCommand(serveArguments({ dataDir }), { SERIESDB_PORTS: '8080' });
    assert.strictEqual(other.code, 2, other.output);
    assert.include(other.output, 'SERIESDB_PORTS');
  });

  it("a timestamp unit other than the directory's is refused, and both are named", async () => {
    const first = await startServer({ dataDir, env: { SERIESDB_TIMESTAMP_UNIT: 's' } });
    await first.stop();
    const { code, output } = await runCommand(serveArguments({ dataDir }), {
      SERIESDB_TIMESTAMP_UNIT: 'ns',
    });
    assert.isAbove(code ?? 0, 0, output);
    assert.match(output, /\bs\b/);
    assert.match(output, /\bns\b/);
    const again = await startServer({ dataDir, env: { SERIESDB_TIMESTAMP_UNIT: 's' } });
    assert.strictEqual((await again.stop()).code, 0);
  });

  it('an unknown or bad setting is refused at start and named', async () => {
    const bad = await runCommand(serveArguments({ dataDir, args: ['--fsync', 'maybe'] }));
    assert.isAbove(bad.code ?? 0, 0);
    assert.include(bad.output, 'fsync');
    const unknown = await runCommand(
      serveArguments({ dataDir, args: ['--memtable-max-byte', '1'] }),
    );
    assert.isAbove(unknown.code ?? 0, 0);
    assert.include(unknown.output, 'memtable-max-byte');
  });

  it('--help and --version print their text and exit with 0', async () => {
    const help = await runCommand(['--help']);
    assert.strictEqual(help.code, 0);
    assert.include(help.output, 'serve');
    const version = await runCommand(['--version']);
    assert.strictEqual(version.code, 0);
    assert.match(version.output, /\d+\.\d+\.\d+/);
  });

  it('requests in flight at SIGTERM are finished or refused, never half done', async () => {
    const server = await startServer({ dataDir });
    const client = new Client(server.port);
    const requests = Array.from({ length: 40 }, async (_, at) => {
      const ts = (part: number): string => String(at * 10 + part);
      const lines = [0, 1, 2].map(
        (part) => `{"metric":"m","ts":${ts(part)},"value":${String(at)}}`,
      );
      return client.ingest(lines.join('\n')).catch(() => null);
    });
    const ended = server.stop();
    const answers = await Promise.all(requests);
    assert.strictEqual((await ended).code, 0);
    client.close();
    const next = await startServer({ dataDir });
    const reader = new Client(next.port);
    const samples = await reader.rangeGet({ metric: 'm', labels: {}, ...everything });
    answers.forEach((ingested, at) => {
      const stored = samples.filter(({ value }) => value === at).length;
      assert.include(ingested === null ? [0, 3] : [3], stored, `request ${String(at)}`);
    });
    reader.close();
    await next.stop();
  });
});
