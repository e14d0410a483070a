import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect } from 'chai';

import { v8Flags } from '../../src/starting/v8-flags.js';
import { programFile } from '../support/program.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

const servingFlags = v8Flags.map(([serving]) => serving);

describe('flags of V8', function () {
  this.timeout(60_000);
  const folder = temporaryDirectory();
  const hook = path.join(folder, 'hook.cjs');
  before(() => {
    writeFileSync(
      hook,
      `const v8 = require('node:v8');
      const set = v8.setFlagsFromString;
      v8.setFlagsFromString = (flag) => {
        process.stderr.write('set ' + flag + '\\n');
        set(flag);
      };`,
    );
  });
  after(() => {
    removeDirectory(folder);
  });

  /** Those that a server sets while it runs, with a second listener thread beside. */
  async function setBy(nodeFlags: readonly string[], given = 'auto'): Promise<string[]> {
    const data = ['--data-dir', path.join(folder, 'data'), '--config', '/dev/null'];
    const flags = ['--listen', '127.0.0.1:0', '--listeners', '2', '--v8-flags', given];
    const all = [...nodeFlags, '--require', hook, programFile, 'serve', ...data, ...flags];
    const server = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    const ended = once(server, 'close');
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        const wasListening = told.includes('listening on');
        told += text;
        if (!wasListening && told.includes('listening on')) setImmediate(() => server.kill());
      });
    }
    expect(await ended, told).to.deep.equal([0, null]);
    return [...told.matchAll(/^set (.*)$/gm)].map(([, flag = '']) => flag);
  }

  it('are set once a server listens', async () => {
    expect(await setBy([])).to.deep.equal(servingFlags);
  });

  it('are left as they are where the setting says so', async () => {
    expect(await setBy([], 'none')).to.deep.equal([]);
  });

  it('are on the command line of the container, whose Node.js counts calls', () => {
    const dockerfile = readFileSync(path.join(programFile, '../../../contrib/Dockerfile'), 'utf8');
    const flags = servingFlags.filter((flag) => !flag.startsWith('--interrupt-budget='));
    expect(dockerfile).to.include(`["node", ${flags.map((flag) => `"${flag}"`).join(', ')}, "/`);
  });

  it('are not set again where the command line has them', async () => {
    expect(await setBy(servingFlags)).to.deep.equal([]);
  });
});
