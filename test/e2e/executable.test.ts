/** The single file of `npm run executable` serves without Node.js, packages and a compiler. */
import {
  execFileSync,
  spawn,
  spawnSync,
  type ChildProcess,
  type SpawnSyncReturns,
} from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, readdirSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';

import { heardAddress } from '../support/heard-address.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('the single executable', function () {
  this.timeout(180_000);
  let folder = '';
  let file = '';
  const running = new Set<ChildProcess>();

  before(() => {
    folder = temporaryDirectory();
    const made = path.join(folder, 'made');
    const script = path.join(root, 'scripts/executable/build.mjs');
    execFileSync(process.execPath, [script, '--as-built', '--output', made], { stdio: 'ignore' });
    // It runs from anywhere, under any name.
    file = path.join(folder, 'database');
    copyFileSync(path.join(made, 'seriesdb'), file);
  });
  afterEach(killed);
  after(() => {
    removeDirectory(folder);
  });

  const environment = (home: string): NodeJS.ProcessEnv => ({ PATH: '/nowhere', HOME: home });

  function call(home: string, ...args: readonly string[]): { code: number | null; told: string } {
    const options = { env: environment(home), cwd: folder, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(file, args, options);
    return { code: status, told: stdout + stderr };
  }

  /** Starts a server with two listener threads. Returns its address. */
  async function serve(home: string): Promise<string> {
    const data = ['--data-dir', path.join(folder, 'data'), '--listeners', '2'];
    const child = spawn(file, ['serve', '--listen', '127.0.0.1:0', ...data], {
      env: environment(home),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    running.add(child);
    return heardAddress(child);
  }

  async function killed(): Promise<void> {
    for (const child of running) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    running.clear();
  }

  it('takes samples, is killed, and has them, with page and commands', async () => {
    const home = path.join(folder, 'home');
    const first = await serve(home);
    const body = '{"metric":"cpu","labels":{"host":"a"},"ts":1000,"value":1.5}\n';
    const stored = await fetch(`${first}/api/v1/ingest`, { method: 'POST', body });
    assert.deepEqual(await stored.json(), { ingested: 1 });
    await killed();
    const second = await serve(home);
    const asked = call(
      home,
      'query',
      '--url',
      second,
      "select value from cpu where tag.host = 'a' and time >= 0",
    );
    assert.deepEqual([asked.code, asked.told.includes('1.5')], [0, true], asked.told);
    const page = await fetch(`${second}/`);
    assert.include(await page.text(), '<title>');
    assert.strictEqual(call(home, '--version').code, 0);
  });

  it('has the licences of what is in it, and removes what an older version unpacked', async () => {
    const home = path.join(folder, 'upgraded');
    const cache = path.join(home, '.cache/seriesdb');
    const unpackedBy = (digit: string): string => path.join(cache, `program-${digit.repeat(32)}`);
    for (const digit of ['0', '1', '2']) mkdirSync(unpackedBy(digit), { recursive: true });
    mkdirSync(path.join(cache, 'compiled'));
    // A process that runs from one of them, as a server of the older version does.
    copyFileSync('/bin/sleep', path.join(unpackedBy('1'), 'sleep'));
    const older = spawn(path.join(unpackedBy('1'), 'sleep'), ['60']);
    await once(older, 'spawn');
    running.add(older);
    const longAgo = new Date(Date.now() - 48 * 3_600_000);
    for (const digit of ['0', '1']) utimesSync(unpackedBy(digit), longAgo, longAgo);
    assert.strictEqual(call(home, '--version').code, 0);
    const left = readdirSync(cache);
    assert.includeMembers(left, [
      'compiled',
      ...['1', '2'].map((one) => path.basename(unpackedBy(one))),
    ]);
    assert.notInclude(left, path.basename(unpackedBy('0')));
    const own =
      left.find((name) => name.startsWith('program-') && !/([12])\1{31}/.test(name)) ?? '';
    const told = readFileSync(path.join(cache, own, 'copyright'), 'utf8');
    const named = ['Node.js', 'simdjson', 'Zstandard', 'Apache License', 'uplot'];
    assert.deepEqual(
      named.filter((name) => !told.includes(name)),
      [],
    );
  });

  it('tells that it has no sources to compile', () => {
    const { code, told } = call(path.join(folder, 'home'), 'build-addon');
    assert.deepEqual(
      { code, told },
      { code: 1, told: 'seriesdb: this installation has no sources to compile\n' },
    );
  });

  it('unpacks nothing into a folder that others can write into', () => {
    const home = path.join(folder, 'shared');
    const cache = path.join(home, '.cache/seriesdb');
    mkdirSync(cache, { recursive: true });
    chmodSync(cache, 0o777);
    const version = (temporary: string): SpawnSyncReturns<string> => {
      const env = { ...environment(home), TMPDIR: temporary };
      return spawnSync(file, ['--version'], { env, encoding: 'utf8' });
    };
    const refused = version(file);
    assert.strictEqual(refused.status, 1);
    assert.include(refused.stderr, 'seriesdb: no folder takes the files of the program: ');
    assert.include(refused.stderr, `others can write into ${cache}`);
    assert.deepEqual(readdirSync(cache), []);
    const taken = version(folder);
    assert.deepEqual([taken.status, taken.stderr], [0, '']);
  });
});
