// Builds the addon and the C++ unit tests, with or without sanitizers. Uses only Node's own
// modules.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

import { ScriptError, filesBelow, hashFiles, inRoot, outputOf, runNode } from './project.mjs';
import { runWithProgress } from './setup/progress.mjs';
import { keepAddon, takeReadyAddon } from './setup/ready-addon.mjs';

const standardBuild = { folder: 'build/native', title: 'Compiling the engine' };

/** What scripts/package/addons.mjs makes, and an archive has. */
export const packedFolder = 'build/addons';
export const packedAddons = `${packedFolder}/addons.json`;

export const addonPath = (folder = standardBuild.folder) => `${folder}/Release/seriesdb.node`;

// The largest compilation unit takes a little over a gigabyte.
const unitBytes = 1.25e9;
// The container's memory limit. Older versions of Node.js, or no limit, give 0 or more than the
// machine has.
const memory = Math.min(process.constrainedMemory?.() || os.totalmem(), os.totalmem());
const jobs = Math.max(1, Math.min(os.availableParallelism(), Math.floor(memory / unitBytes)));
const parallel = {
  CMAKE_BUILD_PARALLEL_LEVEL: process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? String(jobs),
};

/** Throws one sentence that says what to install, if a tool is missing. */
function requireTools() {
  const has = (tool) => outputOf(tool, ['--version']) !== null;
  const compilers = [process.env.CXX, 'c++', 'g++', 'clang++'].filter(Boolean);
  const missing = [];
  if (!has('cmake')) missing.push('cmake');
  if (!compilers.some(has)) missing.push('g++');
  if (!has('make') && !has('ninja')) missing.push('make');
  if (missing.length === 0) return;
  throw new ScriptError(
    `building the addon needs CMake 3.16 or newer, make, and a C++20 compiler; ` +
      `on Debian: apt-get install -y ${missing.join(' ')}`,
  );
}

// A copied build folder names its old path, and CMake refuses it.
function dropForeignCache(folder) {
  const cache = inRoot(folder, 'CMakeCache.txt');
  if (!existsSync(cache)) return;
  const home = /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(readFileSync(cache, 'utf8'));
  if (home?.[1] !== inRoot()) rmSync(inRoot(folder), { recursive: true, force: true });
}

// cmake-js configures a folder once, so that other definitions need another cache of CMake.
function dropOtherCache(folder, definitions) {
  const file = inRoot(folder, '.definitions');
  const wanted = definitions.join('\n');
  if (existsSync(file) && readFileSync(file, 'utf8') === wanted) return;
  rmSync(inRoot(folder, 'CMakeCache.txt'), { force: true });
  mkdirSync(inRoot(folder), { recursive: true });
  writeFileSync(file, wanted);
}

/** All inputs of the addon's build. */
function addonInputs() {
  const own = filesBelow('native', ['.cc', '.h', '.txt']);
  const foreign = filesBelow('third_party', ['.c', '.h']);
  return ['CMakeLists.txt', 'package-lock.json', ...own, ...foreign];
}

/** The hash of all that an addon is made of, on any machine. */
export const sourcesHash = () => hashFiles(addonInputs());

function commandFor(target, { folder, definitions = [] }) {
  requireTools();
  dropForeignCache(folder);
  dropOtherCache(folder, definitions);
  const flags = definitions.map((definition) => `--CD${definition}`);
  // As a dependency of another package, this package has no node_modules of its own.
  const resolve = createRequire(import.meta.url).resolve;
  const tool = path.join(path.dirname(resolve('cmake-js/package.json')), 'bin/cmake-js');
  const what = ['build', '-O', inRoot(folder), '-T', target, '-l', 'warn', ...flags];
  return [tool, ...what];
}

function needSuccess(target, code) {
  if (code !== 0) throw new ScriptError(`${target} did not build (cmake-js ended with ${code})`);
}

/**
 * Builds one target of CMakeLists.txt, the C++ tests or the library alone. cmake-js supplies the
 * path of Node's headers. All targets of a folder share compiled files.
 */
export function buildTarget(target, build = standardBuild) {
  needSuccess(target, runNode(commandFor(target, build), parallel));
}

/** Builds the addon unless its stamp is up to date. `step` stands before the progress. */
export async function ensureAddon(build = standardBuild, { step = '' } = {}) {
  const { folder, definitions = [] } = build;
  const title = step + (build.title ?? `Compiling ${folder}`);
  const stampFile = inRoot(folder, '.stamp');
  const stamp = hashFiles(addonInputs(), [process.arch, ...definitions].join(' '));
  const isFresh =
    existsSync(inRoot(addonPath(folder))) &&
    existsSync(stampFile) &&
    readFileSync(stampFile, 'utf8') === stamp;
  if (isFresh) return;
  rmSync(stampFile, { force: true });
  const isStandard = build === standardBuild;
  const source = isStandard ? takeReadyAddon(sourcesHash(), inRoot(addonPath())) : null;
  if (source !== null) {
    console.log(`${title}: taken from ${source}.`);
  } else {
    const command = [process.execPath, ...commandFor('seriesdb', build)];
    needSuccess('seriesdb', await runWithProgress(title, command, parallel));
    if (isStandard) keepAddon(sourcesHash(), inRoot(addonPath()));
  }
  mkdirSync(inRoot(folder), { recursive: true });
  writeFileSync(stampFile, stamp);
}

/** The path of the built C++ unit tests. */
export const coreTests = ({ folder }) => inRoot(folder, 'seriesdb_tests');

/** Builds the C++ unit tests. Returns the program's path. */
export function buildCoreTests(build = standardBuild) {
  buildTarget('seriesdb_tests', build);
  return coreTests(build);
}

/** Builds all fuzz targets into one program. Returns its path. */
export function buildFuzz(build) {
  buildTarget('seriesdb_fuzz', build);
  return inRoot(build.folder, 'seriesdb_fuzz');
}
