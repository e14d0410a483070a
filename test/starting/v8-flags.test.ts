import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect } from 'chai';

import { v8Flags } from '../../src/server/starting/v8-flags.js';
import { programFile } from '../support/program.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const textOf = (file: string): string => readFileSync(path.join(root, file), 'utf8');

describe('flags of V8', function () {
  this.timeout(60_000);
  const folder = temporaryDirectory();
  const hook = path.join(folder, 'hook.cjs');
  before(() => {
    writeFileSync(
      hook,
      `const v8 = require('node:v8');
      v8.setFlagsFromString = (flag) => process.stderr.write('set ' + flag + '\\n');
      process.stderr.write('began ' + process.execArgv.join(' ') + '\\n');`,
    );
  });
  after(() => {
    removeDirectory(folder);
  });

  /** All that a server with a second listener thread says, started with these flags of Node.js. */
  async function saidBy(nodeFlags: readonly string[]): Promise<string> {
    const data = ['--data-dir', path.join(folder, 'data'), '--config', '/dev/null'];
    const flags = ['--listen', '127.0.0.1:0', '--listeners', '2'];
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
    return told;
  }

  it('are never set while a server runs', async () => {
    for (const given of [[], v8Flags]) {
      const told = await saidBy(given);
      expect(told).to.include('began ').and.not.include('set --');
    }
  });

  it('are those that scripts know before anything is compiled', () => {
    const printed = execFileSync(process.execPath, [path.join(root, 'scripts/setup/v8-flags.mjs')]);
    expect(String(printed).trim().split(' ')).to.deep.equal(v8Flags);
  });

  /** The command line of `npm start`, in a shell like npm's. */
  function startedBy(env: Readonly<Record<string, string>>): string {
    const { scripts } = JSON.parse(textOf('package.json')) as {
      readonly scripts: { readonly start: string };
    };
    const shown = scripts.start.replace(/^exec node /, 'echo ');
    expect(shown).not.to.equal(scripts.start);
    const options = { cwd: root, env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8' };
    return execFileSync('sh', ['-c', shown], options as { encoding: 'utf8' }).trim();
  }

  it('are on the command line of "npm start", and V8_FLAGS exchanges them or leaves them off', () => {
    expect(startedBy({})).to.equal(`${v8Flags.join(' ')} scripts/start.mjs`);
    expect(startedBy({ V8_FLAGS: '--one --two' })).to.equal('--one --two scripts/start.mjs');
    expect(startedBy({ V8_FLAGS: '' })).to.equal('scripts/start.mjs');
  });

  it('are on the command lines of the container, the unit and the package, for any Node.js', () => {
    const flags = v8Flags.filter((flag) => !flag.startsWith('--interrupt-budget=')).join(' ');
    const dockerfile = textOf('contrib/Dockerfile');
    expect(dockerfile).to.include(`\nENV V8_FLAGS="${flags}"\n`);
    expect(dockerfile).to.include('"exec node $V8_FLAGS /opt/seriesdb/bin/seriesdb ');
    const unit = textOf('contrib/systemd/seriesdb.service');
    expect(unit).to.include(`\nEnvironment="V8_FLAGS=${flags}"\n`);
    expect(unit).to.include('\nExecStart=/usr/bin/env node $V8_FLAGS /');
    expect(textOf('contrib/debian/postinst')).to.include(`in "" "${flags}"; do`);
  });
});
