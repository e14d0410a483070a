/** The default settings file of a server, and the message about it. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { runCli, startCli } from '../support/cli.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

describe('the settings file', function () {
  this.timeout(60_000);
  let folder = '';
  let home = '';
  beforeEach(() => {
    folder = temporaryDirectory();
    home = path.join(folder, 'home');
    mkdirSync(path.join(home, '.config/seriesdb'), { recursive: true });
    mkdirSync(path.join(folder, 'xdg/seriesdb'), { recursive: true });
  });
  afterEach(() => {
    removeDirectory(folder);
  });

  function write(name: string, maxSeries: number): string {
    const file = path.join(folder, name);
    writeFileSync(file, `max_series = ${maxSeries}\nlisten = "127.0.0.1:0"\n`);
    return file;
  }

  /** The effective settings, in the folder. */
  async function checked(env: Record<string, string>, ...args: string[]): Promise<string> {
    const done = await runCli(['config', 'check', ...args], {
      env: { HOME: home, ...env },
      folder,
    });
    assert.strictEqual(done.code, 0, done.err);
    return done.out;
  }

  it('is the first of folder, user and machine that exists; they are not merged', async () => {
    assert.match(await checked({}), /^listen = "127.0.0.1:8080" {2}# default\n/);
    const own = write('home/.config/seriesdb/seriesdb.toml', 1);
    const none = { XDG_CONFIG_HOME: '' };
    assert.match(await checked(none), /^max_series = 1 {2}# file$/m);
    assert.include(await checked(none), `# The file: ${own}\n`);
    assert.match(await checked({ XDG_CONFIG_HOME: 'xdg' }), /^max_series = 1 {2}# file$/m);
    write('xdg/seriesdb/seriesdb.toml', 2);
    const env = { XDG_CONFIG_HOME: path.join(folder, 'xdg') };
    assert.match(await checked(env), /^max_series = 2 {2}# file$/m);
    write('seriesdb.toml', 3);
    assert.match(await checked(env), /^max_series = 3 {2}# file$/m);
    const named = write('named.toml', 4);
    assert.match(await checked(env, '--config', named), /^max_series = 4 {2}# file$/m);
  });

  it('is logged when the server starts', async () => {
    const file = write('seriesdb.toml', 3);
    const server = startCli(['serve', '--data-dir', 'data'], { env: { HOME: home }, folder });
    let out = '';
    await new Promise<void>((resolve) => {
      server.child.stdout?.on('data', (piece: string) => {
        out += piece;
        if (out.includes('listening')) resolve();
      });
    });
    server.child.kill('SIGTERM');
    const { code, err } = await server.result;
    assert.strictEqual(code, 0, err);
    assert.match(out, new RegExp(`^seriesdb settings from ${file}\nseriesdb \\S+ listening`));
    assert.match(err, /"settings are read from a file","file":".*seriesdb\.toml"/);
  });

  it('is searched further after an unreadable folder', () => {
    const file = write('xdg/seriesdb/seriesdb.toml', 1);
    const locked = path.join(folder, 'locked');
    mkdirSync(locked, { mode: 0o000 });
    for (const open of [folder, path.dirname(path.dirname(file))]) chmodSync(open, 0o755);
    const module = new URL('../../src/config/find-file.js', import.meta.url).href;
    // A superuser may look into every folder.
    const isRoot = process.getuid?.() === 0;
    const code = `
      import { findSettingsFile } from ${JSON.stringify(module)};
      ${isRoot ? 'process.setgid(65534); process.setuid(65534);' : ''}
      const found = (config) => findSettingsFile({ XDG_CONFIG_HOME: config });
      const folders = ${JSON.stringify([locked, path.join(folder, 'xdg')])};
      console.log(JSON.stringify(folders.map(found)));`;
    const run = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      ...{ cwd: path.join(folder, 'home'), encoding: 'utf8' },
    });
    chmodSync(locked, 0o700);
    assert.strictEqual(run.status, 0, run.stderr);
    assert.deepEqual(JSON.parse(run.stdout), [null, file]);
  });

  it('stops the start if it exists and cannot be read', async () => {
    mkdirSync(path.join(folder, 'seriesdb.toml'));
    const { code, err } = await runCli(['config', 'check'], { env: { HOME: home }, folder });
    assert.strictEqual(code, 2);
    assert.match(err, /cannot read seriesdb\.toml: EISDIR/);
  });
});
