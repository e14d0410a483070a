// `npm run check:sanitize [-- address|thread] [--seconds N] [--all]`: runs the C++ tests, the fuzz
// targets, and a server under mixed load for N seconds. The sanitizers are AddressSanitizer and
// UndefinedBehaviorSanitizer. At the same time it runs all but the fuzz targets with
// ThreadSanitizer. `--all` also runs every other test. `--build` only builds. `--part K/N` runs
// every Nth C++ test from the Kth on; only the first part runs the rest.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { buildCoreTests, buildFuzz, coreTests, ensureAddon } from './native-build.mjs';
import { ScriptError, main, runCollected } from './project.mjs';
import { runCoreTests, runMocha, sumOf } from './run-tests.mjs';
import {
  clearReports,
  reportsOfAddon,
  requireSanitizer,
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
    part: { type: 'string' },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.find((one) => !sanitizerNames.includes(one));
  if (unknown !== undefined) throw new ScriptError(`no sanitizer "${unknown}"`);
  if (!/^\d+$/.test(values.seconds)) throw new ScriptError('--seconds needs a number');
  const names = positionals.length > 0 ? positionals : sanitizerNames;
  const { seconds, all: isAll = false, build: isBuild = false, part } = values;
  return { names, seconds, isAll, isBuild, part };
}

const none = { passed: 0, failed: 0 };

async function buildAll(name) {
  const build = sanitizedBuild(name);
  await ensureAddon(build);
  return { tests: buildCoreTests(build), targets: name === 'address' ? buildFuzz(build) : null };
}

async function check(name, { seconds, isAll, part }) {
  console.log(`With the ${name} sanitizer${part === undefined ? '' : `, part ${part}`}:`);
  const inPart = part === undefined ? [] : ['--part', part];
  const runCore = (tests) => runCoreTests(tests, inPart, sanitizedProgram(name));
  // Two builds in one folder would clash, so the parent process builds before it starts parts.
  if (!(part ?? '1/').startsWith('1/')) return runCore(coreTests(sanitizedBuild(name)));
  const { tests, targets } = await buildAll(name);
  clearReports(name);
  const core = runCore(tests);
  const fuzzed = targets === null ? none : runCoreTests(targets, [], sanitizedProgram(name));
  const env = { ...sanitizedNode(name), SDB_SOAK_SECONDS: seconds };
  const served = runMocha(isAll ? undefined : 'test/soak/', env);
  const reports = reportsOfAddon(name);
  for (const report of reports) console.error(report);
  return sumOf([core, fuzzed, served, { passed: 0, failed: reports.length }]);
}

// Most C++ tests use one thread and some of them sleep, so parallel processes save time. Only the
// first part of each build runs a server under load.
const parts = {
  address: [
    ['--part', '1/2'],
    ['--part', '2/2'],
  ],
  thread: [
    ['--part', '1/3'],
    ['--part', '2/3'],
    ['--part', '3/3'],
  ],
};

async function checkApart(name, args) {
  const { code, text } = await runCollected([fileURLToPath(import.meta.url), name, ...args]);
  const counts = /(\d+) passed, (\d+) failed\n$/.exec(text);
  process.stdout.write(counts === null ? text : text.slice(0, counts.index));
  if (counts !== null) return { passed: Number(counts[1]), failed: Number(counts[2]) };
  console.log(`The check with the ${name} sanitizer ended with ${code}.`);
  return { passed: 0, failed: 1 };
}

await main(async () => {
  const options = readArguments();
  const { names } = options;
  for (const name of names) requireSanitizer(name);
  await setup();
  if (options.isBuild || names.length > 1) {
    for (const name of names) await buildAll(name);
  }
  if (options.isBuild) return 0;
  const args = process.argv.slice(2).filter((one) => !names.includes(one));
  const isApart = names.length > 1;
  const partsOf = (name) => parts[name].map((part) => checkApart(name, [...args, ...part]));
  const all = isApart
    ? await Promise.all(names.flatMap(partsOf))
    : [await check(names[0], options)];
  const { passed, failed } = sumOf(all);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});
