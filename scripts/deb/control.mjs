// The files that dpkg reads: fields, scripts and checksums of the package.
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { addonPath } from '../native-build.mjs';
import { glibcOf, readText } from '../project.mjs';
import { exchanged, packedNode, runtimeHome, settingsFile } from './tree.mjs';

const scripts = ['postinst', 'prerm', 'postrm'];

/** The oldest C library that addon and Node.js run on. */
function oldestGlibc(stage) {
  const files = [packedNode, `${runtimeHome}/${addonPath()}`];
  const minors = files.map((name) => Number(glibcOf(path.join(stage, name))?.split('.')[1] ?? 0));
  return `2.${Math.max(...minors)}`;
}

function* entriesBelow(stage, folder = '') {
  for (const name of readdirSync(path.join(stage, folder)).sort()) {
    const entry = path.join(folder, name);
    const found = lstatSync(path.join(stage, entry));
    yield { name: entry, found };
    if (found.isDirectory()) yield* entriesBelow(stage, entry);
  }
}

/** Makes all files readable, independent of the umask, and keeps executables executable. */
function setModes(entries, stage) {
  chmodSync(stage, 0o755);
  for (const { name, found } of entries.filter((one) => !one.found.isSymbolicLink())) {
    const isRun = found.isDirectory() || (found.mode & 0o100) !== 0;
    chmodSync(path.join(stage, name), isRun ? 0o755 : 0o644);
  }
}

const sumOf = (file) => createHash('md5').update(readFileSync(file)).digest('hex');

/** Adds the folder DEBIAN to a complete tree. */
export function addControl(stage, { version, maintainer }) {
  const entries = [...entriesBelow(stage)];
  setModes(entries, stage);
  const files = entries.filter(({ found }) => found.isFile());
  // Debian counts each file in whole KiB, and 1 KiB for any other entry.
  const size = entries.reduce(
    (sum, { found }) => sum + (found.isFile() ? Math.ceil(found.size / 1024) : 1),
    0,
  );
  const control = exchanged(readText('contrib/debian/control'), {
    '@VERSION@': version,
    '@MAINTAINER@': maintainer,
    '@INSTALLED_SIZE@': String(size),
    '@GLIBC@': oldestGlibc(stage),
  });
  const sums = files
    .filter(({ name }) => name !== settingsFile)
    .map(({ name }) => `${sumOf(path.join(stage, name))}  ${name}\n`);
  const put = (name, text, mode = 0o644) => {
    writeFileSync(path.join(stage, 'DEBIAN', name), text);
    chmodSync(path.join(stage, 'DEBIAN', name), mode);
  };
  mkdirSync(path.join(stage, 'DEBIAN'));
  put('control', control);
  put('conffiles', `/${settingsFile}\n`);
  put('md5sums', sums.join(''));
  for (const name of scripts) put(name, readText(`contrib/debian/${name}`), 0o755);
  chmodSync(path.join(stage, 'DEBIAN'), 0o755);
}
