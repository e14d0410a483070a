/** The package of `npm run deb`: its files, its server, and its installation by dpkg. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';

import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const home = 'usr/lib/seriesdb';
const isRoot = process.getuid?.() === 0;

/** Runs like `npm run deb`, but with the existing build and installation. */
function build(output: string, searchPath = process.env['PATH']): ReturnType<typeof run> {
  const env = { ...process.env, PATH: searchPath, SOURCE_DATE_EPOCH: '1700000000' };
  return run(process.execPath, ['scripts/deb/build.mjs', '--as-built', '--output', output], env);
}

function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): { readonly code: number | null; readonly printed: string; readonly complaint: string } {
  const done = spawnSync(program, args, { cwd: root, encoding: 'utf8', env });
  return { code: done.status, printed: done.stdout, complaint: done.stderr };
}

const packageIn = (folder: string): string =>
  path.join(folder, readdirSync(folder).find((name) => name.endsWith('.deb')) ?? 'none');

/** Each file of the package, with mode and owner from tar. */
function contentsOf(file: string): ReadonlyMap<string, string> {
  const lines = execFileSync('dpkg-deb', ['--contents', file], { encoding: 'utf8' }).split('\n');
  return new Map(
    lines.filter(Boolean).map((line) => {
      const [mode = '', owner = '', , , , name = ''] = line.split(/\s+/);
      return [name.replace(/^\.\//, ''), `${mode} ${owner}`];
    }),
  );
}

/** The packages that the bundle imports, except Node's modules and its own files. */
function packagesOfBundle(): readonly string[] {
  const folder = path.join(root, 'dist/bin');
  const texts = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  const named = texts.flatMap((text) => [
    ...text.matchAll(/(?:^import .* from |\brequire\(|(?:\.href|\.url)\)\()"([\w@][\w@/.-]*)"/gm),
  ]);
  const names = named.map(([, name = '']) => packageOf(name));
  return [...new Set(names)].filter((name) => !isBuiltin(name));
}

/**
 * The name is the first part of a path such as `protobufjs/light.js`, with a scope the first two.
 */
function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/');
}

describe('the Debian package without the tools to build it', () => {
  it('is not built, and the error names the missing tools', () => {
    const folder = temporaryDirectory();
    const { code, complaint } = build(folder, '/nowhere');
    assert.strictEqual(code, 1);
    assert.match(
      complaint,
      /^seriesdb: a package for Debian (needs dpkg-deb|is made on linux-x64)/,
    );
    assert.deepEqual(readdirSync(folder), []);
    removeDirectory(folder);
  });
});

const isDebian =
  process.arch === 'x64' &&
  ['dpkg', 'dpkg-deb', 'strip'].every((tool) => run(tool, ['--version']).code === 0);

if (isDebian) {
  describe('the package for Debian', function () {
    this.timeout(60_000);
    let folder = '';
    let file = '';
    let unpacked = '';

    before(() => {
      folder = temporaryDirectory();
      const { code, complaint } = build(folder);
      assert.strictEqual(code, 0, complaint);
      file = packageIn(folder);
      unpacked = path.join(folder, 'unpacked');
      execFileSync('dpkg-deb', ['--extract', file, unpacked]);
    });
    after(async () => {
      await killServers();
      removeDirectory(folder);
    });

    it('is named by its version, and depends on what the program needs', () => {
      const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
        readonly version: string;
      };
      assert.strictEqual(path.basename(file), `seriesdb_${version}_amd64.deb`);
      const field = (name: string): string => run('dpkg-deb', ['-f', file, name]).printed.trim();
      assert.deepEqual([field('Version'), field('Architecture')], [version, 'amd64']);
      assert.match(field('Depends'), /^libc6 \(>= 2\.\d+\), libgcc-s1, libstdc\+\+6, systemd/);
      assert.match(field('Installed-Size'), /^\d{4,}$/);
      const control = path.join(folder, 'control');
      execFileSync('dpkg-deb', ['--control', file, control]);
      const text = (name: string): string => readFileSync(path.join(control, name), 'utf8');
      assert.strictEqual(text('conffiles'), '/etc/seriesdb/seriesdb.toml\n');
      writeFileSync(path.join(unpacked, 'sums'), text('md5sums'));
      execFileSync('md5sum', ['--check', '--strict', '--quiet', 'sums'], { cwd: unpacked });
      for (const name of ['postinst', 'prerm', 'postrm']) {
        assert.strictEqual(run('sh', ['-n', path.join(control, name)]).code, 0, name);
      }
    });

    it('contains program, addon, packages, service, manual page and completions', () => {
      const contents = contentsOf(file);
      const plain = '-rw-r--r-- root/root';
      for (const name of [
        'etc/seriesdb/seriesdb.toml',
        `${home}/build/native/Release/seriesdb.node`,
        'usr/lib/systemd/system/seriesdb.service',
        'usr/lib/sysusers.d/seriesdb.conf',
        'usr/share/bash-completion/completions/seriesdb',
        'usr/share/doc/seriesdb/changelog.gz',
        'usr/share/doc/seriesdb/copyright',
        'usr/share/fish/vendor_completions.d/seriesdb.fish',
        'usr/share/man/man1/seriesdb.1.gz',
        'usr/share/zsh/vendor-completions/_seriesdb',
        ...packagesOfBundle().map((name) => `${home}/node_modules/${name}/package.json`),
      ]) {
        assert.strictEqual(contents.get(name), plain, name);
      }
      assert.strictEqual(contents.get(`${home}/node`), '-rwxr-xr-x root/root');
      assert.isAtLeast(packagesOfBundle().length, 7);
      const links = [...contents].filter(([, mode]) => !/^[d-]/.test(mode)).map(([name]) => name);
      assert.deepEqual(links, ['usr/bin/seriesdb']);
      for (const [name, mode] of contents) assert.match(mode, / root\/root$/, name);
      const unwanted = /cmake|node-addon-api|simdjson|\/native\/base|\/test\/|\.ts$|\.map$/;
      assert.deepEqual(
        [...contents.keys()].filter((name) => name.startsWith(home) && unwanted.test(name)),
        [],
      );
    });

    it('names the licence of each package in it', () => {
      const told = readFileSync(path.join(unpacked, 'usr/share/doc/seriesdb/copyright'), 'utf8');
      const modules = path.join(unpacked, home, 'node_modules');
      const names = readdirSync(modules).flatMap((name) =>
        name.startsWith('@')
          ? readdirSync(path.join(modules, name)).map((inner) => `${name}/${inner}`)
          : [name],
      );
      for (const name of names) assert.include(told, `node_modules/${name}`);
    });

    it('has a systemd unit whose paths match the package', () => {
      const unit = readFileSync(
        path.join(unpacked, 'usr/lib/systemd/system/seriesdb.service'),
        'utf8',
      );
      assert.include(unit, `\nExecStart=/${home}/node $V8_FLAGS /usr/bin/seriesdb serve `);
      assert.notInclude(unit, '/usr/local');
      const page = /file:\/\/\/(\S+)/.exec(unit)?.[1] ?? 'none';
      assert.isTrue(existsSync(path.join(unpacked, page)), page);
    });

    it('serves from the directory into which it is unpacked', async () => {
      const program = path.join(unpacked, 'usr/bin/seriesdb');
      assert.match(run(process.execPath, [program, '--version']).printed, /^\d+\.\d+\.\d+\n$/);
      const first = readFileSync(program, 'utf8').split('\n', 1);
      assert.deepEqual(first, [`#!/${home}/node`]);
      const node = path.join(unpacked, home, 'node');
      assert.match(run(node, [program, '--version']).printed, /^\d+\.\d+\.\d+\n$/);
      const server = await startServer({ dataDir: path.join(folder, 'data'), program });
      const line = '{"metric":"m","ts":1,"value":2.5}\n';
      await fetch(`${server.url}/api/v1/ingest`, { method: 'POST', body: line });
      const statement = [
        'query',
        '--url',
        server.url,
        '--format',
        'csv',
        'select value from m where time >= 0',
      ];
      assert.include(run(process.execPath, [program, ...statement]).printed, '2.5');
      await server.stop();
    });

    it('builds reproducibly to the byte, whatever the umask', () => {
      const again = path.join(folder, 'again');
      mkdirSync(again);
      const before = process.umask(0o077);
      const { code, complaint } = build(again);
      process.umask(before);
      assert.strictEqual(code, 0, complaint);
      assert.isTrue(readFileSync(packageIn(again)).equals(readFileSync(file)));
    });

    it('remove keeps the database, and purge deletes it', () => {
      const system = new OtherRoot(path.join(folder, 'system'));
      system.dpkg('--install', file);
      const settings = system.at('etc/seriesdb/seriesdb.toml');
      assert.isTrue(existsSync(system.at(`${home}/dist/bin/seriesdb.js`)));
      assert.strictEqual(statSync(settings).mode & 0o777, 0o640);
      const group = /^seriesdb:[^:]*:(\d+)/m.exec(
        readFileSync(system.at('etc/group'), 'utf8'),
      )?.[1];
      if (isRoot) assert.strictEqual(String(statSync(settings).gid), group);
      mkdirSync(system.at('var/lib/seriesdb/data'), { recursive: true });
      writeFileSync(settings, 'log_level = "debug"\n', { mode: 0o600 });

      system.dpkg('--install', file);
      assert.strictEqual(readFileSync(settings, 'utf8'), 'log_level = "debug"\n');
      system.dpkg('--remove', 'seriesdb');
      assert.isFalse(existsSync(system.at(home)));
      assert.isTrue(existsSync(system.at('var/lib/seriesdb/data')));
      assert.isTrue(existsSync(settings));
      system.dpkg('--purge', 'seriesdb');
      for (const gone of ['var/lib/seriesdb', 'etc/seriesdb']) {
        assert.isFalse(existsSync(system.at(gone)), gone);
      }
    });
  });
}

/**
 * A separate system root on which dpkg works without entering it: this machine and its services
 * stay unchanged. Missing tools and root privileges are simulated.
 */
class OtherRoot {
  readonly #folder: string;
  readonly #tools: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#tools = this.at('tools');
    for (const name of ['tools', 'etc', 'var/log', 'var/lib/dpkg/info', 'var/lib/dpkg/updates']) {
      mkdirSync(this.at(name), { recursive: true });
    }
    writeFileSync(this.at('var/lib/dpkg/status'), '');
    const user = `for name in passwd group; do echo seriesdb:x:64000: >>'${folder}/etc/'$name; done`;
    if (!isRoot) this.#play('chown', 'exit 0');
    if (!isRoot || run('systemd-sysusers', ['--version']).code !== 0) {
      this.#play('systemd-sysusers', user);
    }
  }

  readonly at = (name: string): string => path.join(this.#folder, name);

  #play(tool: string, script: string): void {
    writeFileSync(path.join(this.#tools, tool), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  dpkg(action: string, what: string): void {
    const forced = [
      'depends',
      'script-chrootless',
      'confold',
      'unsafe-io',
      ...(isRoot ? [] : ['not-root']),
    ];
    const options = [`--root=${this.#folder}`, ...forced.map((one) => `--force-${one}`)];
    const env = {
      ...process.env,
      PATH: `${this.#tools}:${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`,
    };
    const { code, printed, complaint } = run('dpkg', [...options, action, what], env);
    assert.strictEqual(code, 0, `${printed}${complaint}`);
  }
}
