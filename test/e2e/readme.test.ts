/** Runs the commands of README.md as printed, and compares the answers below them. */
import { assert } from 'chai';

import { runInShell, stepsOf, type Step } from '../support/page-session.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

/** The commands of a session: those that talk to the server on the default port. */
function sessionOf(page: string): readonly Step[] {
  return stepsOf(page, 'json').filter(({ command }) =>
    /127\.0\.0\.1:8080|seriesdb\.js/.test(command),
  );
}

describe('README.md', function () {
  this.timeout(60_000);
  const dataDir = temporaryDirectory();
  after(async () => {
    await killServers();
    removeDirectory(dataDir);
  });

  it('has a session that works as printed', async () => {
    const steps = sessionOf('README.md');
    assert.isAtLeast(steps.length, 7);
    const server = await startServer({ dataDir });
    const outputs: string[] = [];
    for (const { command, answer } of steps) {
      const { code, out } = await runInShell(command, server.port);
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
