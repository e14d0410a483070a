// `npm run check:sanitize [-- address|thread] [--seconds N] [--all]`: the C++ tests, the fuzz
// targets, and a server under mixed load, for N seconds, with AddressSanitizer and
// UndefinedBehaviorSanitizer, then all but the targets with ThreadSanitizer. With --all every other
// test too; with --build nothing is run, but all is built.
import { parseArgs } from 'node:util';

import { buildCoreTests, buildFuzz, ensureAddon } from './native-build.mjs';
import { ScriptError, main } from './project.mjs';
import { runCoreTests, runMocha } from './run-tests.mjs';
import {
  clearReports,
  reportsOfAddon,
  sanitizedBuild,
  sanitizedNode,
  sanitizedProgram,
  sanitizerNames,
} from './sanitizers.mjs';
import { setup } from './setup.mjs';

function readArguments() {
  const options = {
    seconds: { type: 'string', default: '10' },
    all: { type: 'boolean' },
    build: { type: 'boolean' },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.find((one) => !sanitizerNames.includes(one));
  if (unknown !== undefined) throw new ScriptError(`no sanitizer "${unknown}"`);
  if (!/^\d+$/.test(values.seconds)) throw new ScriptError('--seconds needs a number');
  const names = positionals.length > 0 ? positionals : sanitizerNames;
  const { seconds, all: isAll = false, build: isBuild = false } = values;
  return { names, seconds, isAll, isBuild };
}

const none = { passed: 0, failed: 0 };
const sumOf = (all) => ({
  passed: all.reduce((sum, one) => sum + one.passed, 0),
  failed: all.reduce((sum, one) => sum + one.failed, 0),
});

function buildAll(name) {
  const build = sanitizedBuild(name);
  ensureAddon(build);
  return { tests: buildCoreTests(build), targets: name === 'address' ? buildFuzz(build) : null };
}

function check(name, { seconds, isAll }) {
  console.log(`With the ${name} sanitizer:`);
  const { tests, targets } = buildAll(name);
  const core = runCoreTests(tests, [], sanitizedProgram(name));
  const fuzzed = targets === null ? none : runCoreTests(targets, [], sanitizedProgram(name));
  clearReports();
  const env = { ...sanitizedNode(name), SDB_SOAK_SECONDS: seconds };
  const served = runMocha(isAll ? undefined : 'test/soak/', env);
  const reports = reportsOfAddon();
  for (const report of reports) console.error(report);
  return sumOf([core, fuzzed, served, { passed: 0, failed: reports.length }]);
}

await main(() => {
  const options = readArguments();
  setup();
  if (options.isBuild) {
    options.names.forEach(buildAll);
    return 0;
  }
  const all = options.names.map((name) => check(name, options));
  const { passed, failed } = sumOf(all);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});
