// The two builds with sanitizers: what CMake is told, and what a program under them needs.
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';

import { addonPath } from './native-build.mjs';
import { ScriptError, inRoot, outputOf } from './project.mjs';

const kinds = {
  address: {
    folder: 'build/sanitize',
    definitions: ['SERIESDB_SANITIZE=ON'],
    runtime: 'libasan.so',
    options: { UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1' },
    // Node keeps memory to its end on purpose; leaks of ours are found by the C++ tests.
    nodeOptions: { ASAN_OPTIONS: 'detect_leaks=0' },
  },
  thread: {
    folder: 'build/tsan',
    definitions: ['SERIESDB_TSAN=ON'],
    runtime: 'libtsan.so',
    options: { TSAN_OPTIONS: 'halt_on_error=1' },
    // Reports are collected, since most are of Node alone; see `reportsOfAddon`.
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

/** Settings for a C++ program that was built with it. */
export const sanitizedProgram = (name) => kinds[name].options;

// Node is not built with a sanitizer, so its run time must be there before anything is loaded.
function preload(runtime) {
  const libraries = [runtime, 'libstdc++.so.6'].map((name) =>
    outputOf(process.env.CXX ?? 'g++', [`-print-file-name=${name}`]),
  );
  if (libraries.some((library) => library === null || !library.startsWith('/'))) {
    throw new ScriptError(`the sanitizers need g++ with ${runtime}`);
  }
  return libraries.join(' ');
}

/** The environment in which Node, and the servers that tests start, load the sanitized addon. */
export function sanitizedNode(name) {
  const { folder, runtime, options, nodeOptions } = kinds[name];
  return {
    ...options,
    ...nodeOptions,
    LD_PRELOAD: preload(runtime),
    SDB_TEST_ADDON: inRoot(addonPath(folder)),
  };
}

/** Forgets the reports of runs before. */
export function clearReports(name) {
  rmSync(inRoot(reportFolder(name)), { recursive: true, force: true });
  mkdirSync(inRoot(reportFolder(name)), { recursive: true });
}

/**
 * What was reported of the addon, in whatever process. Node is not compiled for ThreadSanitizer,
 * which therefore does not see what orders Node's threads, nor that Node has closed a descriptor
 * whose number we get next. So a race is ours when both of its accesses are. A list of suppressions
 * would not do: it leaves out all that Node has called, and so all that we do on its main thread.
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
