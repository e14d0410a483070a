// The npm packages that the program needs at run time, by the lock file. These are the dependencies
// in package.json, except build tools of the addon, and all their dependencies.
import path from 'node:path';

import { readText } from '../project.mjs';

/** Packages that are compiled into the addon. */
export const compiledIn = ['@nozbe/simdjson', 'node-addon-api'];
const buildTools = new Set([...compiledIn, 'cmake-js']);

/** The place in the lock file to which `require(name)` resolves from a package's folder. */
function lockedPath(packages, from, name) {
  for (let folder = from; ; folder = path.posix.dirname(folder)) {
    const tried = path.posix.join(folder, 'node_modules', name);
    if (Object.hasOwn(packages, tried)) return tried;
    if (folder === '.') throw new Error(`package-lock.json has no ${name} for ${from}`);
  }
}

/** The folders as node_modules/NAME, sorted. The binaries of uWebSockets.js are not included. */
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
