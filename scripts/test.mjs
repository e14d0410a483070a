// `npm test [-- FILTER] [--seed N]`: runs setup, the C++ unit tests and mocha. The last line is the
// sum of both.
import { buildCoreTests } from './native-build.mjs';
import { ScriptError, main } from './project.mjs';
import { runCoreTests, runMocha } from './run-tests.mjs';
import { alone } from './setup/lock.mjs';
import { setup } from './setup.mjs';

function readArguments(args) {
  const seedAt = args.indexOf('--seed');
  const seed = seedAt < 0 ? [] : args.slice(seedAt, seedAt + 2);
  if (seed.length === 1) throw new ScriptError('--seed needs a number');
  const free = args.filter((_, at) => seedAt < 0 || at < seedAt || at > seedAt + 1);
  return { seed, filter: free[0] };
}

// A part that cannot be built is one failure, and the other part still runs.
async function attempt(body) {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    console.error(`seriesdb: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

await main(async () => {
  const { seed, filter } = readArguments(process.argv.slice(2));
  const core = await attempt(async () => {
    await setup();
    const args = filter === undefined ? seed : [...seed, filter];
    return runCoreTests(await alone(buildCoreTests), args);
  });
  const served = await attempt(async () => {
    await setup();
    return runMocha(filter);
  });
  const passed = core.passed + served.passed;
  const failed = core.failed + served.failed;
  const skipped = core.skipped + served.skipped;
  if (skipped > 0) console.log(`${skipped} skipped`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
});
