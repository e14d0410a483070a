/**
 * Runs the commands of docs/quickstart.md as printed, and compares the answers; and the measuring
 * commands of docs/operations.md.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';

import { assert } from 'chai';

import { rootFolder, runInShell, stepsOf } from '../support/page-session.js';
import { removeDirectory, runCommand, startServer, temporaryDirectory } from '../support/server.js';

/** Starts the command's server on a free port; resolves with the port. */
async function start(command: string): Promise<{ port: number; stop: () => Promise<void> }> {
  const env = { ...process.env, SERIESDB_LISTEN: '127.0.0.1:0' };
  const child = spawn('bash', ['-c', `exec ${command}`], { cwd: rootFolder, env });
  const ended = new Promise<never>((_, reject) => {
    child.on('close', (code) => {
      reject(new Error(`the start ended with ${String(code)}`));
    });
  });
  const port = new Promise<number>((resolve) => {
    let out = '';
    const look = (text: string): void => {
      out += text;
      const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(out)?.[1];
      if (found !== undefined) resolve(Number(found));
    };
    child.stdout.setEncoding('utf8').on('data', look);
    child.stderr.setEncoding('utf8').on('data', look);
  });
  return {
    port: await Promise.race([port, ended]),
    stop: async () => {
      child.kill('SIGTERM');
      await ended.catch(() => undefined);
    },
  };
}

describe('docs/quickstart.md', function () {
  this.timeout(120_000);

  it('works as printed, from the start to the last answer', async () => {
    const folder = temporaryDirectory();
    const here = (text: string): string => text.replaceAll('quickstart-data', path.join(folder));
    const [first, naming, ...steps] = stepsOf('docs/quickstart.md', 'text');
    assert.include(first?.command, 'npm start');
    assert.include(naming?.command, 'seriesdb() {');
    assert.isAtLeast(steps.length, 7);
    const { port, stop } = await start(here(first?.command ?? ''));
    try {
      for (const { command, answer } of steps) {
        const text = here(`${naming?.command ?? ''}\n${command}`);
        const { code, out } = await runInShell(text, port);
        assert.strictEqual(code, 0, `${command}${out}`);
        if (answer !== null) assert.strictEqual(timeless(out), timeless(answer), command);
      }
    } finally {
      await stop();
      removeDirectory(folder);
    }
  });
});

describe('docs/operations.md', function () {
  this.timeout(60_000);

  it('measures by commands that work, here with fewer series and samples', async () => {
    const folder = temporaryDirectory();
    const [series, samples, ...others] = stepsOf('docs/operations.md', 'text');
    assert.deepEqual(others, []);
    const server = await startServer({ dataDir: folder });
    const first = await runInShell((series?.command ?? '').replace('999999', '9999'), server.port);
    assert.match(first.out, /10,000 samples from 1 input/);
    assert.match(first.out, /^seriesdb_series 10000$/m);
    const bytes = Number(/^seriesdb_memory_index_bytes (\d+)$/m.exec(first.out)?.[1]);
    assert.isBelow(bytes / 10_000, 400);
    const second = await runInShell((samples?.command ?? '').replace('8640', '86'), server.port);
    assert.match(second.out, /21,500 samples from 1 input/);
    await server.stop();
    const compacted = await runCommand(['compact', folder]);
    assert.match(compacted.output, /bytes_after +\d+/);
    removeDirectory(folder);
  });
});

/** Removes times and sorts lines: streams arrive in any order, and loads differ in time. */
function timeless(text: string): string {
  const lines = text.replace(/in [\d.]+ s$/gm, 'in a while').split('\n');
  const words = lines.map((line) => line.trimEnd()).filter((line) => line !== '');
  return words.sort().join('\n');
}
