// The two builds with sanitizers: what CMake is told, and what a program under them needs.
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
    // What is said of Node's own threads, which it cannot see into, means nothing.
    nodeOptions: {
      TSAN_OPTIONS: `halt_on_error=1:suppressions=${inRoot('scripts/tsan.supp')}`,
    },
  },
};

export const sanitizerNames = Object.keys(kinds);

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
