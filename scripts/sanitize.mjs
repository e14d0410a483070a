// `npm run check:sanitize`: every test again, with AddressSanitizer and UndefinedBehaviorSanitizer.
import { addonPath, buildCoreTests, ensureAddon } from './native-build.mjs';
import { ScriptError, inRoot, main, outputOf } from './project.mjs';
import { runCoreTests, runMocha } from './run-tests.mjs';
import { setup } from './setup.mjs';

const definitions = ['SERIESDB_SANITIZE=ON', 'CMAKE_BUILD_TYPE=RelWithDebInfo'];
const ubsan = { UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1' };

// Node itself is not built with the sanitizer, so its run time must be there before anything is
// loaded.
function preload() {
  const libraries = ['libasan.so', 'libstdc++.so.6'].map((name) =>
    outputOf(process.env.CXX ?? 'g++', [`-print-file-name=${name}`]),
  );
  if (libraries.some((library) => library === null || !library.startsWith('/'))) {
    throw new ScriptError('check:sanitize needs g++ with libasan');
  }
  return libraries.join(' ');
}

await main(() => {
  setup();
  const core = runCoreTests(
    buildCoreTests({ folder: 'build/core-sanitize', definitions }),
    [],
    ubsan,
  );
  ensureAddon({ folder: 'build/sanitize', definitions: definitions.slice(0, 1) });
  const served = runMocha(undefined, {
    ...ubsan,
    LD_PRELOAD: preload(),
    // Node keeps memory to its end on purpose; leaks of ours are found by the C++ tests.
    ASAN_OPTIONS: 'detect_leaks=0',
    SDB_TEST_ADDON: inRoot(addonPath('build/sanitize')),
  });
  const failed = core.failed + served.failed;
  console.log(`${core.passed + served.passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});
