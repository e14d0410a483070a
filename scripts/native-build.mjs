// Builds C++: the addon through cmake-js, the unit tests through plain CMake. Only Node's own
// modules.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

import {
  ScriptError,
  filesBelow,
  hashFiles,
  inRoot,
  outputOf,
  readText,
  run,
  runNode,
} from './project.mjs';

export const addonPath = (folder = 'build/native') => `${folder}/Release/seriesdb.node`;

const parallel = {
  CMAKE_BUILD_PARALLEL_LEVEL:
    process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? String(Math.max(2, os.cpus().length)),
};

/** One sentence that says what to install, when the machine lacks it. */
export function requireTools() {
  const has = (tool) => outputOf(tool, ['--version']) !== null;
  const compilers = [process.env.CXX, 'c++', 'g++', 'clang++'].filter(Boolean);
  const missing = [];
  if (!has('cmake')) missing.push('cmake');
  if (!compilers.some(has)) missing.push('g++');
  if (!has('make') && !has('ninja')) missing.push('make');
  if (missing.length === 0) return;
  throw new ScriptError(
    `building the addon needs CMake 3.15 or newer, make, and a C++20 compiler; ` +
      `on Debian: apt-get install -y ${missing.join(' ')}`,
  );
}

// A build folder that was copied here with its tree remembers the old place, and CMake refuses it.
function dropForeignCache(folder) {
  const cache = inRoot(folder, 'CMakeCache.txt');
  if (!existsSync(cache)) return;
  const home = /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(readFileSync(cache, 'utf8'));
  if (home?.[1] !== inRoot()) rmSync(inRoot(folder), { recursive: true, force: true });
}

/** Everything that decides what the addon is made of. */
function addonInputs() {
  const own = filesBelow('native', ['.cc', '.h', '.txt']);
  const foreign = filesBelow('third_party', ['.c', '.h']);
  return ['CMakeLists.txt', 'package-lock.json', ...own, ...foreign];
}

/**
 * Builds the addon into `folder` unless its stamp says that nothing changed.
 * `definitions` are CMake cache entries such as SERIESDB_SANITIZE=ON.
 */
export function ensureAddon({ folder = 'build/native', definitions = [] } = {}) {
  const stampFile = inRoot(folder, '.stamp');
  const stamp = hashFiles(addonInputs(), [process.arch, ...definitions].join(' '));
  const isFresh =
    existsSync(inRoot(addonPath(folder))) &&
    existsSync(stampFile) &&
    readFileSync(stampFile, 'utf8') === stamp;
  if (isFresh) return;

  requireTools();
  dropForeignCache(folder);
  console.log(`Building the addon in ${folder} …`);
  rmSync(stampFile, { force: true });
  const flags = definitions.map((definition) => `--CD${definition}`);
  // As a dependency of another package this one has no node_modules of its own.
  const resolve = createRequire(import.meta.url).resolve;
  const tool = path.join(path.dirname(resolve('cmake-js/package.json')), 'bin/cmake-js');
  const code = runNode([tool, 'build', '-O', inRoot(folder), '-l', 'warn', ...flags], parallel);
  if (code !== 0) throw new ScriptError(`the addon did not build (cmake-js ended with ${code})`);
  writeFileSync(stampFile, stamp);
}

/** Builds the C++ unit tests. Returns the program's path. */
export function buildCoreTests({ folder = 'build/core', definitions = [] } = {}) {
  buildCore({ folder, definitions, target: 'seriesdb_tests' });
  return inRoot(folder, 'seriesdb_tests');
}

/** Builds one target of plain CMake: the tests, or the library alone, `seriesdb_core`. */
export function buildCore({ folder = 'build/core', definitions = [], target }) {
  requireTools();
  dropForeignCache(folder);
  mkdirSync(inRoot(folder), { recursive: true });
  const flags = ['SERIESDB_TESTS=ON', ...definitions].map((definition) => `-D${definition}`);
  if (run('cmake', ['-S', '.', '-B', folder, '--log-level=WARNING', ...flags]) !== 0) {
    throw new ScriptError('CMake could not configure the C++ tests');
  }
  const build = ['--build', folder, '--target', target, '--', '--no-print-directory'];
  const isNinja = readText(`${folder}/CMakeCache.txt`).includes('CMAKE_GENERATOR:INTERNAL=Ninja');
  const code = run('cmake', isNinja ? build.slice(0, 4) : build, parallel);
  if (code !== 0) throw new ScriptError(`${target} did not build`);
}
