// The file `copyright` of the Debian package, the executable and the image: our licence, and those
// of all packaged software.
import { readFileSync, readdirSync } from 'node:fs';

import { inRoot, readText } from '../project.mjs';
import { uwsDependencies } from '../uws-binaries.mjs';
import { compiledIn, runtimePackages } from './runtime-packages.mjs';

const apache =
  'Licensed under the Apache License, Version 2.0, of which Debian systems have the text in\n' +
  '/usr/share/common-licenses/Apache-2.0.\n';

const libstdcxx =
  'Copyright (c) Free Software Foundation, Inc.\n\n' +
  'GNU General Public License, version 3 or later (/usr/share/common-licenses/GPL-3), with the\n' +
  'GCC Runtime Library Exception, version 3.1, under which this program is not bound by it.\n';

const uws =
  'Copyright (c) Alex Hultman and contributors. The binaries are those of upstream, repacked;\n' +
  'they have uSockets of the same authors and licence in them, and BoringSSL, LSQUIC and zlib,\n' +
  'each under its own permissive licence.\n\n';

/** `isDebian` refers to the licence texts that every Debian system has. */
function licenceOf(folder, { isDebian }) {
  const { license } = JSON.parse(readText(`${folder}/package.json`));
  const file = readdirSync(inRoot(folder)).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no text of its licence`);
  const text = readText(`${folder}/${file}`);
  if (license !== 'Apache-2.0' || !isDebian) return text;
  return [...(/^ *Copyright.*[12]\d\d\d.*$/m.exec(text) ?? []), apache].join('\n\n');
}

/** Without a file, as for the Node.js of a test, its licence is named. */
const nodeLicence = (file) =>
  file === null ? 'Copyright Node.js contributors. MIT.' : readFileSync(file, 'utf8');

function* parts(licenceFile, form) {
  yield ['seriesdb', readText('LICENSE')];
  yield ['Node.js', nodeLicence(licenceFile)];
  for (const name of compiledIn) {
    yield [`${name}, compiled into the addon`, licenceOf(`node_modules/${name}`, form)];
  }
  yield ['Zstandard, compiled into the addon', readText('third_party/zstd/LICENSE')];
  yield ['The C++ library of GCC, linked into the addon', libstdcxx];
  for (const folder of runtimePackages()) yield [folder, licenceOf(folder, form)];
  yield ['Libraries in the built-in page', readText('dist/ui/licenses.txt')];
  if (!form.isDebian) return;
  yield [
    uwsDependencies()
      .map(([name]) => `node_modules/${name}`)
      .join(', '),
    uws + apache,
  ];
}

/**
 * The text. `licenceFile` is that of the packaged Node.js. Only the package for Debian has the
 * binaries of uWebSockets.js.
 */
export function copyright(licenceFile, form) {
  const head = 'This is seriesdb. It has what is named below in it, under the licences there.\n';
  const told = [...parts(licenceFile, form)].map(([title, text]) => {
    const line = '-'.repeat(72);
    return `${line}\n${title}\n${line}\n\n${text.replaceAll('\r', '').trim()}\n`;
  });
  return [head, ...told].join('\n');
}
