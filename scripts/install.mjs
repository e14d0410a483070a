// npm's install step: compares the binaries of uWebSockets.js with their record, and sees to the
// addon. A package brings one for Linux on x86-64 with glibc; where that does not load, and in a
// clone, it is compiled.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { addonPath, ensureAddon } from './native-build.mjs';
import { inRoot, main } from './project.mjs';
import { compileAhead } from './setup/compile-ahead.mjs';
import { alone } from './setup/lock.mjs';
import { stampDependencies } from './setup.mjs';
import { refuseAlteredBinaries } from './uws-binaries.mjs';

/** Why the addon that came with the package is of no use here, null when it is. */
function whyNotLoaded(file) {
  // In another process: a library that is unsound may end the one that loads it.
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    ['-e', `require(${JSON.stringify(file)})`],
    { encoding: 'utf8' },
  );
  if (status === 0) return null;
  return /^Error: (.*)$/m.exec(stderr)?.[1] ?? `Node.js ended with ${signal ?? status}`;
}

/** Whether the addon of the package serves; what CMake made here is none. */
function hasPrebuilt() {
  const file = inRoot(addonPath());
  if (!existsSync(file) || existsSync(inRoot('build/native/CMakeCache.txt'))) return false;
  const reason = whyNotLoaded(file);
  const here = `${process.platform}-${process.arch}`;
  if (reason === null) console.log(`The prebuilt addon loads on this ${here}.`);
  else console.log(`The prebuilt addon does not load on this ${here}, and is compiled: ${reason}`);
  return reason === null;
}

await main(() =>
  alone(async () => {
    refuseAlteredBinaries();
    if (!hasPrebuilt()) await ensureAddon();
    stampDependencies();
    compileAhead();
  }),
);
