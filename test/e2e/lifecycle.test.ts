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
    it(`data is there again after ${ending} and restart, and after one more`, async () => {
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

  it('a polite end leaves the samples in segments', async () => {
    const server = await startServer({ dataDir });
    const client = new Client(server.port);
    await client.ingest('{"metric":"m","ts":1,"value":1}');
    client.close();
    await server.stop();
    assert.isTrue(existsSync(path.join(dataDir, 'segments')));
  });

  it('a second server on the directory refuses and names the process that holds it', async () => {
    const server = await startServer({ dataDir });
    const { code, output } = await runCommand(serveArguments({ dataDir }));
    assert.isAbove(code ?? 0, 0, output);
    assert.include(output, String(server.pid));
    const client = new Client(server.port);
    assert.strictEqual((await client.get('/healthz')).status, 200);
    client.close();
    await server.stop();
  });

  it('a killed server leaves no lock behind', async () => {
    const server = await startServer({ dataDir });
    await server.kill();
    const next = await startServer({ dataDir });
    assert.strictEqual((await next.stop()).code, 0);
  });

  it('another timestamp unit than the directory was made with is refused, both named', async () => {
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

  it('--help and --version say what they should and end with 0', async () => {
    const help = await runCommand(['--help']);
    assert.strictEqual(help.code, 0);
    assert.include(help.output, 'serve');
    const version = await runCommand(['--version']);
    assert.strictEqual(version.code, 0);
    assert.match(version.output, /\d+\.\d+\.\d+/);
  });

  it('requests on their way at SIGTERM are finished or refused, never half done', async () => {
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
