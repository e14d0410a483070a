/** The archive that `npm pack` makes holds what an installation needs, and works as a package. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
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

describe('the package', function () {
  this.timeout(120_000);
  let folder = '';
  let installed = '';

  before(() => {
    folder = temporaryDirectory();
    installed = path.join(folder, 'node_modules', 'seriesdb');
    mkdirSync(installed, { recursive: true });
    // What is compiled is packed as it is; the script that would compile it belongs to a release.
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
    const name = execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }).trim();
    const archive = path.join(folder, path.basename(name));
    execFileSync('tar', ['-xzf', archive, '-C', installed, '--strip-components=1']);
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
    for (const unwanted of ['test', 'node_modules', 'build', 'dist/test', 'bench']) {
      assert.isFalse(existsSync(path.join(installed, unwanted)), unwanted);
    }
  });

  it('opens a database, gives the client and runs the command, from outside its source', () => {
    const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    for (const name of Object.keys(dependencies)) {
      const link = path.join(folder, 'node_modules', name);
      mkdirSync(path.dirname(link), { recursive: true });
      symlinkSync(path.join(root, 'node_modules', name), link);
    }
    mkdirSync(path.dirname(path.join(installed, addon)), { recursive: true });
    cpSync(path.join(root, addon), path.join(installed, addon));
    writeFileSync(path.join(folder, 'program.mjs'), program);
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const printed = execFileSync(process.execPath, ['program.mjs'], options);
    assert.strictEqual(printed, '9007199254740993 true AppError\ntrue invalid_argument\n');
    const command = path.join(installed, 'dist/bin/seriesdb.js');
    const version = execFileSync(process.execPath, [command, '--version'], options);
    assert.match(version, /^\d+\.\d+\.\d+\n$/);
  });
});
