/** The commands of README.md, run as they are printed, and the answers printed below them. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';

import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Step {
  readonly command: string;
  /** What the page shows as its answer; null when it shows none. */
  readonly answer: string | null;
}

/** The commands of a session: those that talk to the server on the default port. */
function stepsOf(page: string): readonly Step[] {
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)];
  return blocks.flatMap(([, language, command = ''], at): Step[] => {
    if (language !== 'sh' || !/127\.0\.0\.1:8080|seriesdb\.js/.test(command)) return [];
    const [, next, answer = ''] = blocks[at + 1] ?? [];
    return [{ command, answer: next === 'json' ? answer.trim() : null }];
  });
}

function run(command: string, port: number): Promise<{ code: number | null; out: string }> {
  const text = `set -euo pipefail\n${command.replaceAll(':8080', `:${port}`)}`;
  // The library of a sanitizer is for the server; preloaded into curl it never ends.
  const env = { ...process.env, SDB_URL: `http://127.0.0.1:${port}`, LD_PRELOAD: undefined };
  const child = spawn('bash', ['-c', text], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  const take = (piece: Buffer): void => {
    out += piece.toString('utf8');
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, out });
    });
  });
}

describe('README.md', function () {
  this.timeout(60_000);
  const dataDir = temporaryDirectory();
  after(async () => {
    await killServers();
    removeDirectory(dataDir);
  });

  it('has a session that works as printed', async () => {
    const steps = stepsOf(readFileSync(path.join(root, 'README.md'), 'utf8'));
    assert.isAtLeast(steps.length, 7);
    const server = await startServer({ dataDir });
    const outputs: string[] = [];
    for (const { command, answer } of steps) {
      const { code, out } = await run(command, server.port);
      assert.strictEqual(code, 0, `${command}${out}`);
      if (answer === null) assert.notInclude(out, '"error"', command);
      else assert.strictEqual(out.trim(), answer, command);
      outputs.push(out);
    }
    const all = outputs.join('');
    assert.include(all, '2 samples from 1 input');
    assert.match(all, /1700000060000 {2}2023-11-14T22:14:20\.000Z +21\.5\n/);
    assert.include(all, '{"values":["a"]}');
  });
});
