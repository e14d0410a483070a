/** What a process meets at its edge: readers that go away, and its log. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
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

/** Asks until the answer is as wanted. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let times = 0; times < 600; times += 1) {
    if (await isTrue()) return;
    await pause(100);
  }
  throw new Error('it did not come to that');
}

describe('the edge of the process', function () {
  this.timeout(120_000);
  let folder = '';
  let dataDir = '';

  beforeEach(() => {
    folder = temporaryDirectory();
    dataDir = path.join(folder, 'data');
  });
  afterEach(async () => {
    await killServers();
    removeDirectory(folder);
  });

  for (const listeners of ['1', '2']) {
    it(`a server of ${listeners} threads goes on when nobody reads its streams`, async () => {
      const args = ['--listeners', listeners, '--log-level', 'debug'];
      const child = spawn(process.execPath, [programFile, ...serveArguments({ dataDir, args })], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = once(child, 'exit');
      let printed = '';
      child.stdout.on('data', (piece: Buffer) => (printed += piece.toString()));
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

  it('a load goes on when nobody reads what it says', async () => {
    const server = await startServer({ dataDir });
    const lines = Array.from(
      { length: 20_000 },
      (_, ts) => `{"metric":"m","ts":${String(ts)},"value":1}\n`,
    );
    const input = path.join(folder, 'input');
    mkdirSync(input);
    writeFileSync(path.join(input, 'lines.ndjson'), lines.join(''));
    // Each is told on the error stream before the load begins.
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

  it('a cause that refuses every request is told once, with its count at the end', async () => {
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
});
