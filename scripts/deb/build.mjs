// `npm run deb [-- --output FOLDER]`: builds the Debian package with Node.js, the program, the
// addon, their npm packages and a systemd service. The same commit gives the same bytes. With
// `--as-built`, for tests, it compiles and fetches nothing, compresses little, and includes the
// Node.js that runs this script.
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { addonPath } from '../native-build.mjs';
import { installPackedNode, packedMajor } from '../setup/node-versions.mjs';
import { installPinned, lockedBinaries } from '../setup/pinned-packages.mjs';
import { ScriptError, epoch, inRoot, main, outputOf, readText, run } from '../project.mjs';
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

/** The folder of the uWebSockets.js binary for the Node.js in the package. */
function binaries(isAsBuilt) {
  const folder = isAsBuilt ? inRoot() : inRoot('build/uws');
  const major = isAsBuilt ? process.versions.node.split('.')[0] : packedMajor;
  const wanted = lockedBinaries().filter(({ name }) => name.endsWith(`-${major}`));
  if (!isAsBuilt) installPinned(folder, wanted);
  const modules = path.join(folder, 'node_modules');
  const [altered] = alteredBinaries([modules]);
  if (altered !== undefined) throw new ScriptError(altered);
  return wanted.map(({ name }) => path.join(modules, name)).filter(existsSync);
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
  const node = installPackedNode({ isAsBuilt });
  placeTree(stage, { ...release, binaries: binaries(isAsBuilt), node });
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
