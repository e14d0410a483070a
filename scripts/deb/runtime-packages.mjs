// The packages of npm that the program needs while it runs: what package.json names, without what
// only compiles the addon, and what those need in turn, by the lock file.
import path from 'node:path';

import { readText } from '../project.mjs';

/** The addon has of them what it needs. */
export const compiledIn = ['@nozbe/simdjson', 'node-addon-api'];
const buildTools = new Set([...compiledIn, 'cmake-js']);

/** Where `require` of `name` ends in the lock, seen from the folder of a package. */
function lockedPath(packages, from, name) {
  for (let folder = from; ; folder = path.posix.dirname(folder)) {
    const tried = path.posix.join(folder, 'node_modules', name);
    if (Object.hasOwn(packages, tried)) return tried;
    if (folder === '.') throw new Error(`package-lock.json has no ${name} for ${from}`);
  }
}

/** Their folders, as node_modules/NAME, sorted. The binaries of uWebSockets.js are none of them. */
export function runtimePackages() {
  const { packages } = JSON.parse(readText('package-lock.json'));
  const named = Object.keys(packages[''].dependencies).filter((name) => !buildTools.has(name));
  const found = new Set();
  const visit = (from) => (name) => {
    const folder = lockedPath(packages, from, name);
    if (found.has(folder)) return;
    found.add(folder);
    const { dependencies, optionalDependencies } = packages[folder];
    Object.keys({ ...dependencies, ...optionalDependencies }).forEach(visit(folder));
  };
  named.forEach(visit('.'));
  return [...found].sort();
}
