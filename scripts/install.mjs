// The install step of npm. It compares the uWebSockets.js binaries with their recorded hashes, and
// provides the addon. A package has a prebuilt addon for Linux on x86-64 with glibc. If that does
// not load, or in a clone, the addon is compiled.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { addonPath, ensureAddon } from './native-build.mjs';
import { inRoot, main } from './project.mjs';
import { compileAhead } from './setup/compile-ahead.mjs';
import { alone } from './setup/lock.mjs';
import { stampDependencies } from './setup.mjs';
import { refuseAlteredBinaries } from './uws-binaries.mjs';

/** Why the prebuilt addon does not work here; null if it works. */
function whyNotLoaded(file) {
  // In another process, since a broken library may crash the process that loads it.
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    ['-e', `require(${JSON.stringify(file)})`],
    { encoding: 'utf8' },
  );
  if (status === 0) return null;
  return /^Error: (.*)$/m.exec(stderr)?.[1] ?? `Node.js ended with ${signal ?? status}`;
}

/** True if the prebuilt addon works. An addon built here by CMake is not prebuilt. */
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
