// `npm run package [-- --output FOLDER]`: makes the archive that a release would publish, with the
// addons of all kinds of machines. `npm pack` and `npm publish` do the same, by `--prepare`. With
// `--as-built`, for tests, it compiles nothing: the addon of this machine is the only one.
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { makeAddonOfHere, makeAddons } from './addons.mjs';
import { ScriptError, inRoot, main, outputOf } from '../project.mjs';
import { setup } from '../setup.mjs';
import { refuseAlteredBinaries } from '../uws-binaries.mjs';

/** An installation loads all of it. */
const mostBytes = 12e6;

const options = {
  prepare: { type: 'boolean', default: false },
  'as-built': { type: 'boolean', default: false },
  output: { type: 'string', default: inRoot('build/package') },
};

const inMegabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

async function prepare() {
  await setup();
  refuseAlteredBinaries();
  const { addons } = await makeAddons();
  for (const [kind, { buildId, glibc, bytes }] of Object.entries(addons)) {
    const library = glibc === null ? '' : `, glibc ${glibc} or newer`;
    console.log(`${kind.padEnd(18)} ${inMegabytes(bytes)}, build-id ${buildId}${library}`);
  }
}

function pack(output) {
  mkdirSync(output, { recursive: true });
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', output];
  const name = outputOf('npm', args);
  if (name === null) throw new ScriptError('npm made no archive');
  const file = path.join(output, path.basename(name));
  const { size } = statSync(file);
  if (size > mostBytes) {
    throw new ScriptError(`${file} has ${inMegabytes(size)}, more than ${inMegabytes(mostBytes)}`);
  }
  console.log(`${file}: ${inMegabytes(size)}`);
}

await main(async () => {
  const { values } = parseArgs({ options });
  if (values['as-built']) makeAddonOfHere();
  else await prepare();
  if (!values.prepare) pack(path.resolve(values.output));
});
