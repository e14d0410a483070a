/** The installed program has its code kept once, and serves with and without it. */
import { chmodSync, cpSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';

import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

import { v8Flags } from '../../src/server/starting/v8-flags.js';

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

  it('is compiled beside a first server, into the cache of its user', async () => {
    const env = { XDG_CACHE_HOME: at('cache'), TMPDIR: folder };
    const program = at('dist/bin/seriesdb.js');
    const files = (): readonly string[] =>
      existsSync(at('cache'))
        ? readdirSync(at('cache'), { recursive: true, encoding: 'utf8' }).filter((one) =>
            one.endsWith('.bin'),
          )
        : [];
    const server = await startServer({ dataDir: at('data'), program, env });
    assert.deepEqual(files(), []);
    const until = performance.now() + 30_000;
    while (files().length === 0 && performance.now() < until) await sleep(100);
    const [file = ''] = files();
    assert.strictEqual(
      path.basename(file),
      `compiled-${process.version}-${process.arch}.bin`,
      'no code was kept',
    );
    await server.stop();
    assert.deepEqual(kept(), []);
    // V8 takes what the next start finds there, unless others could have written it.
    const module = path.join(root, 'dist/src/server/starting/chunks.js');
    const hasKept = (mode: number): string => {
      chmodSync(path.dirname(at(`cache/${file}`)), mode);
      const script = `import(${JSON.stringify(module)})
        .then(({ Chunks }) => {
          const chunks = new Chunks(${JSON.stringify(`${at('dist/bin')}/`)});
          chunks.load('program.cjs');
          console.log(chunks.hasKept, chunks.refused.length);
        })`;
      const done = spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8' });
      return done.stdout + done.stderr;
    };
    assert.strictEqual(hasKept(0o700), 'true 0\n');
    assert.strictEqual(hasKept(0o777), 'false 0\n');
  });

  it('says nothing, leaves nothing else, and serves', async () => {
    for (const flags of [[], v8Flags, v8Flags.slice(0, 1)]) {
      const done = spawnSync(process.execPath, [...flags, at('dist/bin/compile-ahead.js')], {
        env: { TMPDIR: folder },
        encoding: 'utf8',
      });
      assert.deepEqual([done.status, done.stdout, done.stderr], [0, '', '']);
    }
    const name = `compiled-${process.version}-${process.arch}`;
    assert.deepEqual(kept(), [`${name}-all.bin`, `${name}-some.bin`, `${name}.bin`]);
    assert.isFalse(readdirSync(folder).some((name) => name.startsWith('seriesdb-')));
    assert.isTrue(existsSync(at('data')));
    await isServed();
  });

  /** The code that V8 rejects in a process with these flags; `kept` is an expression. */
  function refusedIn(kept: string, flags: readonly string[], isThread = false): readonly string[] {
    const moduleOf = (name: string): string =>
      JSON.stringify(path.join(root, 'dist/src/server/starting', name));
    const script = `Promise.all([
      import(${moduleOf('v8-flags.js')}),
      import(${moduleOf('chunks.js')}),
    ]).then(([{ givenFlags }, { Chunks }]) => {
      const chunks = new Chunks(process.cwd() + '/', ${kept});
      chunks.load('program.cjs');
      console.log(JSON.stringify(chunks.refused));
    })`;
    const options = { cwd: at('dist/bin'), encoding: 'utf8' } as const;
    const thread = `new (require('node:worker_threads').Worker)(${JSON.stringify(script)}, { eval: true })`;
    const all = [...flags, '-e', isThread ? thread : script];
    const { stdout, stderr } = spawnSync(process.execPath, all, options);
    assert.strictEqual(stderr, '');
    return JSON.parse(stdout) as readonly string[];
  }

  it('is taken by V8 with the flags of a server, with some of them and without, in threads, too', () => {
    for (const flags of [[], v8Flags, v8Flags.slice(0, 1)]) {
      assert.deepEqual(refusedIn('givenFlags()', flags), []);
      assert.deepEqual(refusedIn('givenFlags()', flags, true), []);
    }
    assert.include(refusedIn("'none'", v8Flags), 'program.cjs');
    assert.include(refusedIn("'all'", []), 'program.cjs');
  });
});
