/** The archive that `npm pack` makes holds what an installation needs, and works as a package. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';

import { removeDirectory, temporaryDirectory } from '../support/server.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const addon = 'build/native/Release/seriesdb.node';

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
function fakeTools(folder: string, built: string): string {
  const tools = path.join(folder, 'tools');
  mkdirSync(tools);
  const target = path.join(folder, 'node_modules/seriesdb', addon);
  const scripts = {
    cmake: `case "$*" in *--build*) cp '${built}' '${target}';; *) echo cmake version 3.25.1;; esac`,
    make: 'exit 0',
    'c++': 'exit 0',
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(path.join(tools, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return `${tools}:/usr/bin:/bin`;
}

describe('the package', function () {
  this.timeout(120_000);
  let folder = '';
  let installed = '';

  before(() => {
    folder = temporaryDirectory();
    installed = path.join(folder, 'node_modules', 'seriesdb');
    mkdirSync(installed, { recursive: true });
    // The existing build is packed as it is; the script that would compile it belongs to a release.
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
    const name = execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }).trim();
    const archive = path.join(folder, path.basename(name));
    execFileSync('tar', ['-xzf', archive, '-C', installed, '--strip-components=1']);
    const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    for (const name of Object.keys(dependencies)) {
      const link = path.join(folder, 'node_modules', name);
      mkdirSync(path.dirname(link), { recursive: true });
      symlinkSync(path.join(root, 'node_modules', name), link);
    }
  });
  after(() => {
    removeDirectory(folder);
  });

  it('holds every source that the addon is built from, and the scripts that build it', () => {
    const sources = readFileSync(path.join(root, 'native/sources.txt'), 'utf8').trim().split('\n');
    const wanted = [
      ...['CMakeLists.txt', 'scripts/install.mjs', 'scripts/native-build.mjs', 'LICENSE'],
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
    for (const unwanted of ['test', 'node_modules', 'dist/test', 'bench']) {
      assert.isFalse(existsSync(path.join(installed, unwanted)), unwanted);
    }
  });

  it('works outside of its source tree: database, client and command', () => {
    writeFileSync(path.join(folder, 'program.mjs'), program);
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const printed = execFileSync(process.execPath, ['program.mjs'], options);
    assert.strictEqual(printed, '9007199254740993 true AppError\ntrue invalid_argument\n');
    const command = path.join(installed, 'dist/bin/seriesdb.js');
    const version = execFileSync(process.execPath, [command, '--version'], options);
    assert.match(version, /^\d+\.\d+\.\d+\n$/);
  });

  function install(searchPath: string): {
    code: number | null;
    printed: string;
    complaint: string;
  } {
    const env = { PATH: searchPath };
    const options = { cwd: installed, encoding: 'utf8', env } as const;
    const done = spawnSync(process.execPath, ['scripts/install.mjs'], options);
    return { code: done.status, printed: done.stdout, complaint: done.stderr };
  }
  const here = `${process.platform}-${process.arch}`;

  it('contains an addon that loads without a compiler', () => {
    const { code, printed, complaint } = install('/nowhere');
    assert.deepEqual(
      { code, printed, complaint },
      { code: 0, printed: `The prebuilt addon loads on this ${here}.\n`, complaint: '' },
    );
  });

  it('says why an addon of another machine does not load, and what a build needs', () => {
    const file = path.join(installed, addon);
    const bytes = readFileSync(file);
    bytes.writeUInt16LE(0xf3, 18); // e_machine: RISC-V.
    // Makes a new file: writing into a loaded one would change running code.
    rmSync(file);
    writeFileSync(file, bytes);
    const bare = install('/nowhere');
    assert.strictEqual(bare.code, 1);
    const refused = `The prebuilt addon does not load on this ${here}, and is compiled: `;
    assert.include(bare.printed, refused);
    assert.match(bare.complaint, /^seriesdb: building the addon needs CMake .* a C\+\+20 compiler/);
    const compiled = install(fakeTools(folder, path.join(root, addon)));
    assert.deepEqual([compiled.code, compiled.complaint], [0, '']);
    assert.include(compiled.printed, refused);
    assert.include(compiled.printed, 'Compiling the engine');
    assert.deepEqual(readFileSync(file), readFileSync(path.join(root, addon)));
  });

  it('requires no newer glibc than docs/clients.md says', function () {
    if (process.platform !== 'linux') this.skip();
    const docs = readFileSync(path.join(root, 'docs/clients.md'), 'utf8');
    const promised = Number(/glibc 2\.(\d+) or newer/.exec(docs)?.[1]);
    const text = readFileSync(path.join(root, addon), 'latin1');
    const asked = [...text.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    assert.isNotEmpty(asked);
    assert.isAtMost(Math.max(...asked), promised);
  });
});
