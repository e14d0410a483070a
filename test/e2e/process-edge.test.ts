/** Process boundaries: readers that disconnect, the log, a read-only mount. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { assert } from 'chai';

import { startCli } from '../support/cli.js';
import { Client, maximumTs, minimumTs } from '../support/client.js';
import { programFile } from '../support/program.js';
import {
  killServers,
  removeDirectory,
  serveArguments,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

const all = { metric: 'm', labels: {}, start: minimumTs, end: maximumTs };

/** Repeats the request until the answer matches. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let times = 0; times < 600; times += 1) {
    if (await isTrue()) return;
    await pause(100);
  }
  throw new Error('it did not come to that');
}

describe('the process under adverse conditions', function () {
  this.timeout(120_000);
  let folder = '';
  let dataDir = '';
  const children: ChildProcess[] = [];

  beforeEach(() => {
    folder = temporaryDirectory();
    dataDir = path.join(folder, 'data');
  });
  afterEach(async () => {
    // A failed test leaves its server running.
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await killServers();
    removeDirectory(folder);
  });

  for (const listeners of ['1', '2']) {
    it(`a server of ${listeners} threads keeps running when nobody reads its output`, async () => {
      const args = ['--listeners', listeners, '--log-level', 'debug'];
      const child = spawn(process.execPath, [programFile, ...serveArguments({ dataDir, args })], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.push(child);
      const ended = once(child, 'exit');
      let printed = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
      child.stderr.resume();
      const portOf = (): string | undefined => /listening on \S+:(\d+)/.exec(printed)?.[1];
      await until(() => Promise.resolve(portOf() !== undefined));
      child.stdout.destroy();
      child.stderr.destroy();
      // Each request is a line of the log.
      for (let ts = 0; ts < 20; ts += 1) {
        const client = new Client(Number(portOf()));
        await client.ingest(`{"metric":"m","ts":${String(ts)},"value":1}`);
        client.close();
      }
      const client = new Client(Number(portOf()));
      assert.lengthOf(await client.rangeGet(all), 20);
      client.close();
      child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
    });
  }

  it('a load continues when nobody reads its output', async () => {
    const server = await startServer({ dataDir });
    const lines = Array.from(
      { length: 20_000 },
      (_, ts) => `{"metric":"m","ts":${String(ts)},"value":1}\n`,
    );
    const input = path.join(folder, 'input');
    mkdirSync(input);
    writeFileSync(path.join(input, 'lines.ndjson'), lines.join(''));
    // Each file is reported on stderr before the load begins.
    for (let at = 0; at < 50; at += 1) writeFileSync(path.join(input, `${String(at)}.other`), '');
    const command = ['ingest', input, '--url', server.url];
    const { child, result } = startCli(command);
    child.stdout?.destroy();
    child.stderr?.destroy();
    await result;
    const client = new Client(server.port);
    assert.lengthOf(await client.rangeGet(all), 20_000);
    client.close();
    await server.stop();
  });

  it('a repeated cause of refusal is logged once, with its count at the end', async () => {
    const server = await startServer({ dataDir, fileLimitKib: 64 });
    const client = new Client(server.port);
    const lines = Array.from({ length: 20_000 }, (_, ts) => {
      return `{"metric":"m","ts":${String(ts)},"value":${String(Math.sin(ts))}}`;
    });
    const body = lines.join('\n');
    const statuses: number[] = [];
    for (let times = 0; times < 50; times += 1) {
      statuses.push((await client.request('POST', '/api/v1/ingest', { body })).status);
    }
    assert.include(statuses, 503);
    client.close();
    const { output } = await server.stop();
    const told = output.split('\n').filter((line) => line.includes('"request failed"'));
    assert.isAtMost(told.length, 4, output);
    const counted = told.map((line) => (JSON.parse(line) as { count?: number }).count ?? 1);
    const refused = statuses.filter((status) => status === 503).length;
    assert.strictEqual(
      counted.reduce((sum, one) => sum + one, 0),
      refused,
    );
  });

  it('a read-only mount is served, and accepts writes once it is remounted', async function () {
    await leaveOneSample();
    const served = await serveMounted('mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"');
    if (served === null) return this.skip();
    await expectReadOnly(served, 'Read-only file system');
    served.run('mount', '-o', 'remount,rw,bind', dataDir);
    await expectWrites(served);
    await served.stop();
  });

  it('a disk full at start is served, and accepts writes once it has room', async function () {
    await leaveOneSample();
    // RESERVE was released when the disk became full.
    rmSync(path.join(dataDir, 'RESERVE'));
    const served = await serveMounted(
      'cp -a "$0" "$0.kept" && mount -t tmpfs -o size=4m tmpfs "$0" && cp -a "$0.kept/." "$0" && ' +
        '{ dd if=/dev/zero of="$0/filler" bs=1k 2>/dev/null || true; }',
    );
    if (served === null) return this.skip();
    await expectReadOnly(served, 'No space left on device');
    served.run('rm', path.join(dataDir, 'filler'));
    await expectWrites(served);
    await served.stop();
  });

  it('stalled clients do not delay a stop by two grace periods', async () => {
    const server = await startServer({ dataDir });
    const writer = new Client(server.port);
    const lines = Array.from({ length: 200_000 }, (_, ts) => {
      return `{"metric":"m","ts":${String(ts)},"value":${String(Math.sin(ts))}}`;
    });
    await writer.ingest(lines.join('\n'));
    writer.close();
    const head = 'HTTP/1.1\r\nHost: localhost\r\n';
    const halves = [
      `POST /api/v1/ingest ${head}Content-Length: 100\r\n\r\n{`,
      `GET /api/v1/export?match[]=m ${head}\r\n`.repeat(4),
    ];
    // Each twice: the threads take connections in turn.
    const sockets = [...halves, ...[...halves].reverse()].map((text) => {
      const socket = connect(server.port, '127.0.0.1').pause();
      socket.on('error', () => undefined).write(text);
      return socket;
    });
    await pause(500);
    const began = performance.now();
    const { code } = await server.stop();
    const tookMs = performance.now() - began;
    for (const socket of sockets) socket.destroy();
    assert.strictEqual(code, 0);
    // One grace period is 7 s; container runtimes kill after 10.
    assert.isBelow(tookMs, 13_000);
  });

  async function leaveOneSample(): Promise<void> {
    const server = await startServer({ dataDir });
    const writer = new Client(server.port);
    await writer.ingest('{"metric":"m","ts":1,"value":1}');
    writer.close();
    await server.kill();
  }

  const second = { body: '{"metric":"m","ts":2,"value":2}' };

  async function expectReadOnly({ client }: Mounted, why: string): Promise<void> {
    assert.deepEqual(await client.rangeGet(all), [{ ts: 1n, value: 1 }]);
    const refused = await client.request('POST', '/api/v1/ingest', second);
    assert.deepEqual([refused.status, /storage_unavailable/.test(refused.body)], [503, true]);
    const status = await client.get('/status');
    assert.include(status.body, why);
    const { body } = await client.get('/metrics');
    assert.match(body, /^seriesdb_up 0$/m);
    assert.match(body, /^seriesdb_degraded\{reason="disk"\} [1-9]/m);
  }

  async function expectWrites({ client }: Mounted): Promise<void> {
    await until(async () => {
      return (await client.request('POST', '/api/v1/ingest', second)).status === 200;
    });
    assert.lengthOf(await client.rangeGet(all), 2);
    assert.match((await client.get('/metrics')).body, /^seriesdb_up 1$/m);
  }

  interface Mounted {
    readonly client: Client;
    /** Runs a command in the server's mount namespace. */
    readonly run: (...command: readonly string[]) => void;
    readonly stop: () => Promise<void>;
  }

  /**
   * A server in its own mount namespace. `mount` runs there on the data directory, `$0`; so can
   * other commands. Null: this user may not.
   */
  async function serveMounted(mount: string): Promise<Mounted | null> {
    const script = `${mount} && exec "$@"`;
    const tried = path.join(folder, 'tried');
    mkdirSync(tried);
    if (spawnSync('unshare', ['-m', 'bash', '-c', script, tried, 'true']).status !== 0) return null;
    const serve = [process.execPath, programFile, ...serveArguments({ dataDir })];
    const child = spawn('unshare', ['-m', 'bash', '-c', script, dataDir, ...serve], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const ended = once(child, 'exit');
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const portOf = (): string | undefined => /listening on \S+:(\d+)/.exec(printed)?.[1];
    await until(() => Promise.resolve(portOf() !== undefined || child.exitCode !== null));
    const client = new Client(Number(portOf() ?? assert.fail(printed)));
    return {
      client,
      run: (...command) => {
        const entered = spawnSync('nsenter', ['-t', String(child.pid), '-m', ...command]);
        assert.strictEqual(entered.status, 0);
      },
      stop: async () => {
        client.close();
        child.kill('SIGTERM');
        assert.deepEqual(await ended, [0, null]);
      },
    };
  }
});
