// `npm run check:clang [-- --build]`: compiles the addon and the C++ tests by clang, with warnings
// as errors, as with g++. Then runs the tests whose results could depend on the compiler: codecs,
// kernels, folds and parsers. `--build` only builds. The last line is "N passed, N failed".
import { parseArgs } from 'node:util';

import { buildCoreTests, ensureAddon } from './native-build.mjs';
import { ScriptError, main, outputOf } from './project.mjs';
import { runCoreTests, sumOf } from './run-tests.mjs';
import { setup } from './setup.mjs';

// A Debug build takes a third of the time.
const build = {
  folder: 'build/clang',
  definitions: ['CMAKE_C_COMPILER=clang', 'CMAKE_CXX_COMPILER=clang++', 'CMAKE_BUILD_TYPE=Debug'],
};
const rooms = ['format/codec', 'ingest', 'query/expression', 'query/fold', 'query/print'];

await main(async () => {
  const { values } = parseArgs({ options: { build: { type: 'boolean' } } });
  if (outputOf('clang++', ['--version']) === null) {
    throw new ScriptError('there is no clang++; on Debian: apt-get install -y clang');
  }
  await setup();
  await ensureAddon(build);
  const program = buildCoreTests(build);
  if (values.build) return 0;
  const all = rooms.map((room) => runCoreTests(program, [`test/native/${room}/`]));
  const { passed, failed } = sumOf(all);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
});
