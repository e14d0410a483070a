// The two builds with sanitizers: options for CMake, and the environment of programs under them.
// The first is compiled by clang, so that a second compiler checks all code and runs all C++ tests.
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';

import { addonPath } from './native-build.mjs';
import { ScriptError, inRoot, outputOf } from './project.mjs';

const clangArch = { x64: 'x86_64', arm64: 'aarch64' }[process.arch] ?? process.arch;

const kinds = {
  address: {
    folder: 'build/asan',
    definitions: ['SERIESDB_SANITIZE=ON', 'CMAKE_C_COMPILER=clang', 'CMAKE_CXX_COMPILER=clang++'],
    compiler: 'clang++',
    runtime: `libclang_rt.asan-${clangArch}.so`,
    options: { UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1' },
    // Node.js keeps memory until its end on purpose. The C++ tests find our leaks.
    nodeOptions: { ASAN_OPTIONS: 'detect_leaks=0' },
  },
  thread: {
    folder: 'build/tsan',
    definitions: ['SERIESDB_TSAN=ON'],
    compiler: process.env.CXX ?? 'g++',
    runtime: 'libtsan.so',
    options: { TSAN_OPTIONS: 'halt_on_error=1' },
    // Reports are collected, since most concern only Node.js; see `reportsOfAddon`.
    nodeOptions: { TSAN_OPTIONS: `exitcode=0:log_path=${inRoot('build/tsan/reports/report')}` },
  },
};

export const sanitizerNames = Object.keys(kinds);

const reportFolder = (name) => `${kinds[name].folder}/reports`;

/** The build of `ensureAddon` and `buildCoreTests` with this sanitizer. */
export function sanitizedBuild(name) {
  const { folder, definitions } = kinds[name];
  return { folder, definitions };
}

/** The environment for a C++ program built with this sanitizer. */
export const sanitizedProgram = (name) => kinds[name].options;

// Node.js is built without sanitizers, so their runtime must be preloaded.
function preload({ compiler, runtime }) {
  const libraries = [runtime, 'libstdc++.so.6'].map((name) =>
    outputOf(compiler, [`-print-file-name=${name}`]),
  );
  if (libraries.some((library) => library === null || !library.startsWith('/'))) {
    throw new ScriptError(
      `the sanitizers need ${compiler} with ${runtime}; ` +
        'on Debian: apt-get install -y g++ clang libclang-rt-dev',
    );
  }
  return libraries.join(' ');
}

/** Throws one sentence that says what to install, if the compiler or its runtime is missing. */
export const requireSanitizer = (name) => void preload(kinds[name]);

/** The environment in which Node.js and the tests' servers load the sanitized addon. */
export function sanitizedNode(name) {
  const { folder, options, nodeOptions } = kinds[name];
  return {
    ...options,
    ...nodeOptions,
    LD_PRELOAD: preload(kinds[name]),
    SDB_TEST_ADDON: inRoot(addonPath(folder)),
  };
}

/** Deletes the reports of earlier runs. */
export function clearReports(name) {
  rmSync(inRoot(reportFolder(name)), { recursive: true, force: true });
  mkdirSync(inRoot(reportFolder(name)), { recursive: true });
}

/**
 * The reports of races in the addon, from all processes. Node.js is not compiled for
 * ThreadSanitizer. So the sanitizer does not see the synchronization of Node's threads, nor that
 * Node.js closed a descriptor whose number we get next. A race is ours only if both accesses are in
 * the addon. A list of suppressions would not do: it hides everything that Node.js calls, including
 * all our work on its main thread.
 */
export function reportsOfAddon(name) {
  return readdirSync(inRoot(reportFolder(name)))
    .flatMap((file) => readFileSync(inRoot(reportFolder(name), file), 'utf8').split(/^={18}$/m))
    .filter(isOfAddon);
}

const isOurs = (text) => text.includes('seriesdb.node');

function isOfAddon(report) {
  if (!report.includes('data race')) return isOurs(report);
  const accesses = report.split('\n\n').filter((part) => /^ {2}(\w+ )+of size \d+/m.test(part));
  return accesses.every(isOurs);
}
