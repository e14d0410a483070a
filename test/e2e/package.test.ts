/** The archive that `npm run package` makes holds what an installation needs, and works as one. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';

import { machineKind } from '../../src/storage/native/load.js';
import { heardAddress } from '../support/heard-address.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const built = 'build/native/Release/seriesdb.node';

const program = `
import { AppError, open } from 'seriesdb';
import { SeriesDbClient, SeriesDbError } from 'seriesdb/client';
const database = await open('./data');
await database.ingest([{ metric: 'm', ts: 2n ** 53n + 1n, value: -0 }]);
const [sample] = await database.range({ metric: 'm', start: 0, end: 2n ** 62n });
await database.close();
console.log(String(sample.ts), Object.is(sample.value, -0), AppError.name);
try {
  new SeriesDbClient({ url: 'nowhere' });
} catch (error) {
  console.log(error instanceof SeriesDbError, error.code);
}
`;

/** Stand-ins for a compiler: existing programs, and a CMake that "builds" a file. */
function fakeTools(folder: string, compiled: string): string {
  const tools = path.join(folder, 'tools');
  mkdirSync(tools);
  const target = path.join(folder, 'node_modules/seriesdb', built);
  const scripts = {
    cmake: `case "$*" in *--build*) mkdir -p '${path.dirname(target)}'; cp '${compiled}' '${target}';; *) echo cmake version 3.25.1;; esac`,
    make: 'exit 0',
    'c++': 'exit 0',
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(path.join(tools, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return `${tools}:/usr/bin:/bin`;
}

describe('the package', function () {
  this.timeout(180_000);
  let folder = '';
  let installed = '';
  let archive = '';
  /** The addon of this machine in the installation. */
  let addon = '';

  const npm = (...args: readonly string[]): void => {
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', [...args, ...quiet], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };

  before(() => {
    folder = temporaryDirectory();
    installed = path.join(folder, 'node_modules', 'seriesdb');
    addon = path.join(installed, 'build/addons', `${machineKind()}.node`);
    const script = path.join(root, 'scripts/package/build.mjs');
    execFileSync(process.execPath, [script, '--as-built', '--output', folder], { stdio: 'ignore' });
    const name = readdirSync(folder).find((one) => one.endsWith('.tgz'));
    assert.isDefined(name);
    archive = path.join(folder, name);
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
    npm('install', '--ignore-scripts', archive);
  });
  after(() => {
    removeDirectory(folder);
  });

  it('holds what the addon is built from, and the scripts that build it', () => {
    const sources = readFileSync(path.join(root, 'native/sources.txt'), 'utf8').trim().split('\n');
    const wanted = [
      ...['CMakeLists.txt', 'scripts/build-addon.mjs', 'scripts/native-build.mjs', 'LICENSE'],
      ...sources.map((source) => `native/${source}`),
    ];
    for (const tree of ['native', 'third_party']) {
      const files = readdirSync(path.join(root, tree), { recursive: true, encoding: 'utf8' });
      wanted.push(...files.filter((file) => /\.[ch]$/.test(file)).map((file) => `${tree}/${file}`));
    }
    assert.isAbove(wanted.length, 100);
    assert.deepEqual(
      wanted.filter((file) => !existsSync(path.join(installed, file))),
      [],
    );
    // With binding.gyp, npm would compile by node-gyp.
    for (const unwanted of ['test', 'node_modules', 'dist/test', 'bench', 'binding.gyp', built]) {
      assert.isFalse(existsSync(path.join(installed, unwanted)), unwanted);
    }
    const { scripts } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8')) as {
      readonly scripts: object;
    };
    assert.doesNotHaveAnyKeys(scripts, ['preinstall', 'install', 'postinstall']);
  });

  it('tells each addon by its hash and build-id', () => {
    const told = JSON.parse(
      readFileSync(path.join(installed, 'build/addons/addons.json'), 'utf8'),
    ) as { readonly addons: Readonly<Record<string, { readonly buildId: string }>> };
    const { buildId } = told.addons[machineKind()] ?? {};
    assert.match(buildId ?? '', /^[0-9a-f]{16,}$/);
    assert.include(readFileSync(addon).toString('hex'), String(buildId));
  });

  function isWorking(): void {
    writeFileSync(path.join(folder, 'program.mjs'), program);
    rmSync(path.join(folder, 'data'), { recursive: true, force: true });
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const printed = execFileSync(process.execPath, ['program.mjs'], options);
    assert.strictEqual(printed, '9007199254740993 true AppError\ntrue invalid_argument\n');
    const command = path.join(folder, 'node_modules/.bin/seriesdb');
    const version = execFileSync(command, ['--version'], options);
    assert.match(version, /^\d+\.\d+\.\d+\n$/);
  }

  it('works without scripts of an installation: database, client and command', isWorking);

  it('works where npm may run scripts', () => {
    rmSync(path.join(folder, 'node_modules'), { recursive: true });
    npm('install');
    isWorking();
  });

  it('serves by npx, from the archive alone', async () => {
    const cwd = path.join(folder, 'elsewhere');
    mkdirSync(cwd);
    const serve = ['seriesdb', 'serve', '--listen', '127.0.0.1:0', '--data-dir', 'data'];
    const args = ['--yes', '--prefer-offline', '--package', archive, ...serve];
    // Ends with all that npx has started.
    const child = spawn('npx', args, { cwd, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    try {
      const address = await heardAddress(child);
      assert.strictEqual((await fetch(`${address}/readyz`)).status, 200);
    } finally {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }
  });

  function run(
    args: readonly string[],
    searchPath: string,
  ): { code: number | null; printed: string; complaint: string } {
    const env = { PATH: searchPath, HOME: folder };
    const options = { cwd: folder, encoding: 'utf8', env } as const;
    const command = path.join(installed, 'dist/bin/seriesdb.js');
    const done = spawnSync(process.execPath, [command, ...args], options);
    return { code: done.status, printed: done.stdout, complaint: done.stderr };
  }

  it('says why an addon does not load, and compiles one', () => {
    isWorking();
    const inspect = ['inspect', 'data'];
    assert.strictEqual(run(inspect, '/nowhere').code, 0);
    const aside = `${addon}.aside`;
    renameSync(addon, aside);
    const help =
      '"seriesdb build-addon" compiles one for this machine ("npm run build" in a clone)';
    const none = `seriesdb: there is no addon for ${machineKind()}, as ${addon} would be; ${help}\n`;
    assert.deepEqual(run(inspect, '/nowhere'), { code: 1, printed: '', complaint: none });
    const bytes = readFileSync(aside);
    bytes.writeUInt16LE(0xf3, 18); // e_machine: RISC-V.
    writeFileSync(addon, bytes);
    const { complaint } = run(inspect, '/nowhere');
    assert.include(complaint, `seriesdb: the addon ${addon} does not load: `);
    assert.include(complaint, help);
    const bare = run(['build-addon'], '/nowhere');
    assert.strictEqual(bare.code, 1);
    assert.match(bare.complaint, /^seriesdb: building the addon needs CMake .* a C\+\+20 compiler/);
    const compiled = run(['build-addon'], fakeTools(folder, aside));
    assert.deepEqual([compiled.code, compiled.complaint], [0, '']);
    assert.include(compiled.printed, 'Compiling the engine');
    assert.deepEqual(readFileSync(path.join(installed, built)), readFileSync(aside));
    // What was compiled here is taken before what came along.
    assert.strictEqual(run(inspect, '/nowhere').code, 0);
  });
});
