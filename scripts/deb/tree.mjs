// The files of the Debian package and their places.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { addonPath } from '../native-build.mjs';
import { ScriptError, filesBelow, inRoot, outputOf, readText } from '../project.mjs';
import { copyright } from './copyright.mjs';
import { runtimePackages } from './runtime-packages.mjs';

/** Where a package has the program, below the root. */
export const runtimeHome = 'usr/lib/seriesdb';
const home = runtimeHome;
const documents = 'usr/share/doc/seriesdb';
const program = `${home}/dist/bin/seriesdb.js`;
/** Where the package has its own Node.js. */
export const packedNode = `${home}/node`;

/** Endings of a package's files that are needed at run time. */
const runs = ['.js', '.cjs', '.mjs', '.json', '.wasm', '.node'];

export const settingsFile = 'etc/seriesdb/seriesdb.toml';

function put(stage, name, bytes) {
  const file = path.join(stage, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}

const copy = (stage, source, name) => put(stage, name, readFileSync(source));

/** `text` with all replacements of `pairs`. */
export function exchanged(text, pairs) {
  let made = text;
  for (const [from, to] of Object.entries(pairs)) {
    if (!made.includes(from)) throw new Error(`there is no ${from} to exchange`);
    made = made.replaceAll(from, to);
  }
  return made;
}

function printedBy(...args) {
  const printed = outputOf(process.execPath, [inRoot('dist/bin/seriesdb.js'), ...args]);
  if (printed === null) throw new ScriptError(`"seriesdb ${args.join(' ')}" failed`);
  return `${printed}\n`;
}

/** Removes symbols, which take a third of the file. */
function stripped(file) {
  const done = spawnSync('strip', ['--strip-unneeded', '--remove-section=.comment', file]);
  if (done.status !== 0) throw new ScriptError('strip, of binutils, is needed and failed');
}

function placeProgram(stage) {
  for (const name of filesBelow('dist/bin', ['.js', '.cjs', '.mjs', 'package.json'])) {
    copy(stage, inRoot(name), `${home}/${name}`);
  }
  // The Node.js of the package, independent of the PATH.
  const text = readText('dist/bin/seriesdb.js');
  put(stage, program, exchanged(text, { '#!/usr/bin/env node': `#!/${packedNode}` }));
  chmodSync(path.join(stage, program), 0o755);
  for (const name of filesBelow('dist/ui', [''])) copy(stage, inRoot(name), `${home}/${name}`);
  // A source tree without git has no commit.
  for (const name of [...filesBelow('dist', ['commit.txt']), addonPath()]) {
    copy(stage, inRoot(name), `${home}/${name}`);
  }
  stripped(path.join(stage, home, addonPath()));
  const { name, version, type, license } = JSON.parse(readText('package.json'));
  const told = { name, version, type, license };
  put(stage, `${home}/package.json`, `${JSON.stringify(told, null, 2)}\n`);
  mkdirSync(path.join(stage, 'usr/bin'));
  symlinkSync(path.relative('usr/bin', program), path.join(stage, 'usr/bin/seriesdb'));
}

function placePackages(stage, binaries) {
  for (const folder of runtimePackages()) {
    const own = filesBelow(folder, runs).filter((name) => {
      const inner = name.slice(folder.length);
      return !/\/(node_modules|docs|examples|scripts|test)\//.test(inner);
    });
    for (const name of own) copy(stage, inRoot(name), `${home}/${name}`);
  }
  const scope = `${home}/node_modules/@uwsjs`;
  for (const folder of binaries) {
    cpSync(folder, path.join(stage, scope, path.basename(folder)), { recursive: true });
  }
}

function placeService(stage) {
  const run = `/${packedNode} $V8_FLAGS /usr/bin/seriesdb`;
  const unit = exchanged(readText('contrib/systemd/seriesdb.service'), {
    '# seriesdb as a service. Install: contrib/README.md.': '# seriesdb as a service.',
    'file:///usr/local/lib/node_modules/seriesdb/': `man:seriesdb(1) file:///${documents}/`,
    '/usr/bin/env node $V8_FLAGS /usr/local/bin/seriesdb': run,
  });
  put(stage, 'usr/lib/systemd/system/seriesdb.service', unit);
  copy(stage, inRoot('contrib/systemd/seriesdb.sysusers'), 'usr/lib/sysusers.d/seriesdb.conf');
  copy(stage, inRoot('contrib/seriesdb.example.toml'), settingsFile);
}

function placeCompletions(stage) {
  const places = {
    bash: 'usr/share/bash-completion/completions/seriesdb',
    zsh: 'usr/share/zsh/vendor-completions/_seriesdb',
    fish: 'usr/share/fish/vendor_completions.d/seriesdb.fish',
  };
  for (const [shell, name] of Object.entries(places)) {
    put(stage, name, printedBy('completion', shell));
  }
}

/** Places documents as in the source, so that relative links work. */
function placeDocuments(stage, nodeLicence) {
  for (const name of ['README.md', 'CHANGELOG.md', ...filesBelow('docs', ['.md'])]) {
    copy(stage, inRoot(name), `${documents}/${name}`);
  }
  const examples = filesBelow('contrib', ['.json', '.yml', 'example.toml', 'README.md']);
  for (const name of examples) copy(stage, inRoot(name), `${documents}/${name}`);
  put(stage, `${documents}/copyright`, copyright(nodeLicence, { isDebian: true }));
}

/** Escapes characters with a meaning in roff. */
const asRoff = (text) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

function placeHistory(stage, { version, maintainer, date }) {
  // Debian requires level 9. Without name and time, the bytes are reproducible.
  const packed = (text) => gzipSync(text, { level: 9 });
  const change = 'See /usr/share/doc/seriesdb/CHANGELOG.md.';
  const mail = date.toUTCString().replace('GMT', '+0000');
  const log = `seriesdb (${version}) unstable; urgency=medium\n\n  * ${change}\n\n -- ${maintainer}  ${mail}\n`;
  put(stage, `${documents}/changelog.gz`, packed(log));
  const help = printedBy('--help');
  const page = exchanged(readText('contrib/debian/seriesdb.1'), {
    '@DATE@': date.toISOString().slice(0, 10),
    '@VERSION@': version,
    '@COMMANDS@': asRoff(help.slice(help.indexOf('Commands:\n') + 'Commands:\n'.length).trimEnd()),
  });
  put(stage, 'usr/share/man/man1/seriesdb.1.gz', packed(page));
}

/** Puts what runs into an empty folder. `binaries` are folders of uWebSockets.js. */
export function placeRuntime(stage, binaries) {
  rmSync(stage, { recursive: true, force: true });
  placeProgram(stage);
  placePackages(stage, binaries);
}

/** Puts the licences beside the program, for systems of any kind. */
export function placeLicences(stage, nodeLicence) {
  put(stage, `${home}/copyright`, copyright(nodeLicence, { isDebian: false }));
}

/** Puts the Node.js of a package beside the program. */
export function placeNode(stage, file) {
  copy(stage, file, packedNode);
  const placed = path.join(stage, packedNode);
  stripped(placed);
  chmodSync(placed, 0o755);
}

/**
 * Puts all files into an empty folder. `binaries` are folders of uWebSockets.js; `node` has the
 * program and the licence of a Node.js.
 */
export function placeTree(stage, { binaries, node, ...release }) {
  placeRuntime(stage, binaries);
  placeNode(stage, node.file);
  placeService(stage);
  placeCompletions(stage);
  placeDocuments(stage, node.licence);
  placeHistory(stage, release);
}
