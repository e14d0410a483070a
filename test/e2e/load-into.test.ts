/** `ingest` and `import` into a data directory that no server has open. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';

import { done, exported, lines } from '../support/maintenance.js';
import { runCli, startCli } from '../support/cli.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';

const realData = fileURLToPath(new URL('../../../examples/data', import.meta.url));

/** A directory that a server made and closed. */
async function madeDirectory(unit = 'ms'): Promise<string> {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const server = await startServer({ dataDir, args: ['--timestamp-unit', unit] });
  await server.kill();
  return dataDir;
}

describe('loads into a directory', function () {
  this.timeout(60_000);
  afterEach(killServers);

  it("are visible to a server that opens it, in the directory's unit", async () => {
    const dataDir = await madeDirectory('s');
    const file = path.join(temporaryDirectory(), 'cpu.csv');
    writeFileSync(
      file,
      'time,metric,host,value\n2026-01-01T00:00:00Z,cpu,a,1.5\n5000000000,cpu,b,2\n',
    );
    const imported = done(await runCli(['import', '--into', dataDir, '--precision', 's', file]));
    assert.match(imported, /^2 samples from 1 input/);
    const streamed = await runCli(['ingest', '--into', dataDir], { input: lines('mem', 0, 100) });
    assert.match(done(streamed), /^100 samples/);
    const closed = await exported([dataDir]);
    const server = await startServer({ dataDir, args: ['--timestamp-unit', 's'] });
    assert.strictEqual(await exported(['--url', server.url]), closed);
    assert.include(closed, '"ts":1767225600,"value":1.5');
  });

  it('store real data like a server does', async () => {
    const dataDir = await madeDirectory();
    const folder = path.join(realData, 'realTweets');
    const files = readdirSync(folder).slice(0, 2);
    const words = ['import', '--metric', 'tweets', ...files.map((name) => path.join(folder, name))];
    done(await runCli([...words, '--no-resume', '--batch-size', '64KiB', '--into', dataDir]));
    const server = await startServer({ dataDir: path.join(temporaryDirectory(), 'other') });
    done(await runCli([...words, '--no-resume', '--url', server.url]));
    const all = await exported(['--url', server.url]);
    assert.isAbove(all.length, 100_000);
    assert.strictEqual(await exported([dataDir]), all);
  });

  it('resume after kill -9 at the last acknowledged batch', async () => {
    const dataDir = await madeDirectory();
    const file = path.join(temporaryDirectory(), 'many.ndjson');
    writeFileSync(file, lines('cpu', 0, 100_000));
    const words = ['ingest', '--into', dataDir, '--batch-size', '64KiB', file];
    const first = startCli(words);
    while (!existsSync(`${file}.seriesdb-resume`)) await pause(2);
    first.child.kill('SIGKILL');
    await first.result;
    const again = await runCli(words);
    assert.match(again.err, /continuing after line \d+/);
    assert.match(done(again), /^100,000 samples/);
  });

  it('reject invalid arguments with a message', async () => {
    const dataDir = await madeDirectory();
    const server = await startServer({ dataDir });
    const none = path.join(temporaryDirectory(), 'none');
    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      [['--into', none], /no database in|ROOT/],
      [['--into', dataDir, '--url', server.url], /either a directory by --into, or a server/],
    ];
    for (const [words, sentence] of refused) {
      const { code, err } = await runCli(['ingest', ...words], { input: lines('cpu', 0, 1) });
      assert.strictEqual(code, words.includes('--url') ? 2 : 1, words.join(' '));
      assert.match(err, sentence);
    }
    await server.kill();
    const bad = await runCli(['ingest', '--into', dataDir], { input: `${lines('cpu', 0, 1)}no\n` });
    assert.strictEqual(bad.code, 1);
    assert.match(bad.err, /:2: .*\(invalid_json\); nothing of standard input was stored/);
    assert.strictEqual(await exported([dataDir]), '');
  });
});
