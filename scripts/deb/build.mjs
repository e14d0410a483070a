// `npm run deb [-- --output FOLDER]`: builds the Debian package with the program, the addon, their
// npm packages and a systemd service. The same commit gives the same bytes. With `--as-built`, for
// tests, it compiles and fetches nothing and compresses little. Then it includes only the
// uWebSockets.js binary of the current Node.js.
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { addonPath } from '../native-build.mjs';
import { installPinned, lockedBinaries } from '../setup/pinned-packages.mjs';
import { ScriptError, inRoot, main, outputOf, readText, run } from '../project.mjs';
import { setup } from '../setup.mjs';
import { alteredBinaries } from '../uws-binaries.mjs';
import { addControl } from './control.mjs';
import { placeTree } from './tree.mjs';

// The maintainer of the package, by the environment variables of Debian's own tools.
const { DEBFULLNAME = 'seriesdb', DEBEMAIL = 'seriesdb@example.org' } = process.env;

function readArguments() {
  const options = {
    'as-built': { type: 'boolean', default: false },
    output: { type: 'string', default: inRoot('build/deb') },
  };
  const { values } = parseArgs({ options });
  return { isAsBuilt: values['as-built'], output: path.resolve(values.output) };
}

function needTools() {
  const here = `${process.platform}-${process.arch}`;
  if (here !== 'linux-x64') {
    throw new ScriptError(`a package for Debian is made on linux-x64 only; this is ${here}`);
  }
  const missing = ['dpkg-deb', 'strip'].filter((tool) => outputOf(tool, ['--version']) === null);
  if (missing.length === 0) return;
  throw new ScriptError(
    `a package for Debian needs ${missing.join(' and ')}; on Debian: apt-get install -y dpkg binutils`,
  );
}

function needBuilt() {
  const missing = [addonPath(), 'dist/bin/seriesdb.js'].find((file) => !existsSync(inRoot(file)));
  if (missing !== undefined) throw new ScriptError(`there is no ${missing}; run "npm run build"`);
}

/** The timestamp of all files in the package, so that the build time does not matter. */
function epoch() {
  const { SOURCE_DATE_EPOCH } = process.env;
  const seconds = SOURCE_DATE_EPOCH ?? outputOf('git', ['log', '-1', '--format=%ct']);
  if (/^\d+$/.test(seconds ?? '')) return seconds;
  throw new ScriptError('there is no commit to take the time from; set SOURCE_DATE_EPOCH');
}

/** The folders of uWebSockets.js binaries: for every Node.js, or for the current one. */
function binaries(isAsBuilt) {
  const folder = isAsBuilt ? inRoot() : inRoot('build/uws');
  if (!isAsBuilt) installPinned(folder, lockedBinaries());
  const modules = path.join(folder, 'node_modules');
  const [altered] = alteredBinaries([modules]);
  if (altered !== undefined) throw new ScriptError(altered);
  return lockedBinaries()
    .map(({ name }) => path.join(modules, name))
    .filter(existsSync);
}

await main(async () => {
  const { isAsBuilt, output } = readArguments();
  needTools();
  const seconds = epoch();
  await (isAsBuilt ? needBuilt() : setup());
  const { version } = JSON.parse(readText('package.json'));
  const maintainer = `${DEBFULLNAME} <${DEBEMAIL}>`;
  const release = { version, maintainer, date: new Date(Number(seconds) * 1000) };
  const stage = path.join(output, 'stage');
  placeTree(stage, { ...release, binaries: binaries(isAsBuilt) });
  addControl(stage, release);
  const file = path.join(output, `seriesdb_${version}_amd64.deb`);
  // All versions of dpkg read both compressions.
  const packing = isAsBuilt ? ['-Zgzip', '-z1'] : ['-Zxz'];
  const args = ['--root-owner-group', ...packing, '--build', stage, file];
  if (run('dpkg-deb', args, { SOURCE_DATE_EPOCH: seconds }) !== 0) {
    throw new ScriptError('dpkg-deb made no package');
  }
  rmSync(stage, { recursive: true });
});
