/** The installed program has its code kept once, and serves with and without it. */
import { cpSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';

import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

import { v8Flags } from '../../src/starting/v8-flags.js';

const servingFlags = v8Flags.map(([serving]) => serving);
const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('the program compiled ahead', function () {
  this.timeout(60_000);
  let folder = '';
  const at = (name: string): string => path.join(folder, name);
  const kept = (): readonly string[] =>
    readdirSync(at('dist/bin')).filter((name) => name.startsWith('compiled-'));

  before(() => {
    folder = temporaryDirectory();
    cpSync(path.join(root, 'dist/bin'), at('dist/bin'), {
      recursive: true,
      filter: (name) => !path.basename(name).startsWith('compiled-'),
    });
    for (const name of ['package.json', 'node_modules', 'build']) {
      symlinkSync(path.join(root, name), at(name));
    }
  });
  after(() => {
    removeDirectory(folder);
  });
  afterEach(killServers);

  async function isServed(): Promise<void> {
    const program = at('dist/bin/seriesdb.js');
    const server = await startServer({ dataDir: at('data'), program });
    const answer = await fetch(`${server.url}/readyz`);
    assert.strictEqual(answer.status, 200);
    await server.stop();
  }

  it('serves before it is', async () => {
    assert.deepEqual(kept(), []);
    await isServed();
    // A server writes nothing there.
    assert.deepEqual(kept(), []);
  });

  it('says nothing, leaves nothing else, and serves', async () => {
    const done = spawnSync(process.execPath, [at('dist/bin/compile-ahead.js')], {
      env: { TMPDIR: folder },
      encoding: 'utf8',
    });
    assert.deepEqual([done.status, done.stdout, done.stderr], [0, '', '']);
    const name = `compiled-${process.version}-${process.arch}`;
    assert.deepEqual(kept(), [`${name}-serving.bin`, `${name}.bin`]);
    assert.isFalse(readdirSync(folder).some((name) => name.startsWith('seriesdb-')));
    assert.isTrue(existsSync(at('data')));
    await isServed();
  });

  /** What V8 would not take, loaded by a process of its own; `phase` is an expression. */
  function refusedIn(phase: string, before = '', flags: readonly string[] = []): readonly string[] {
    const moduleOf = (name: string): string =>
      JSON.stringify(path.join(root, 'dist/src/starting', name));
    const script = `Promise.all([
      import(${moduleOf('v8-flags.js')}),
      import(${moduleOf('chunks.js')}),
    ]).then(([{ setServingFlags, setFirstFlags, firstPhase }, { Chunks }]) => {
      ${before};
      const chunks = new Chunks(process.cwd() + '/', ${phase});
      chunks.load('program.cjs');
      console.log(JSON.stringify(chunks.refused));
    })`;
    const options = { cwd: at('dist/bin'), encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', script], options);
    assert.strictEqual(stderr, '');
    return JSON.parse(stdout) as readonly string[];
  }

  it('is taken by V8 as it begins, and as it is once a server listens', () => {
    assert.deepEqual(refusedIn("'starting'"), []);
    assert.deepEqual(refusedIn("'serving'", 'setServingFlags()'), []);
    assert.deepEqual(refusedIn("'starting'", 'setServingFlags(); setFirstFlags()'), []);
    assert.deepEqual(refusedIn('firstPhase()'), []);
    assert.deepEqual(refusedIn('firstPhase()', '', servingFlags), []);
    assert.include(refusedIn("'starting'", 'setServingFlags()'), 'program.cjs');
    assert.include(refusedIn("'serving'"), 'program.cjs');
  });
});
