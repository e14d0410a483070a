// `npm run fuzz [-- TARGET] [--seconds N] [--seed N]`: runs one fuzz target, or all in turn, each
// for N seconds (default 60). It uses libFuzzer if clang has it, otherwise the suite's own driver.
// Targets in TypeScript are tests that run for that time.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { buildFuzz } from './native-build.mjs';
import {
  ScriptError,
  filesBelow,
  inRoot,
  main,
  outputOf,
  readText,
  root,
  run,
} from './project.mjs';
import { runMocha } from './run-tests.mjs';
import { sanitizedBuild, sanitizedProgram } from './sanitizers.mjs';
import { setup } from './setup.mjs';

const found = 'build/fuzz-found';
const newestClang = 24;
const oldestClang = 14;

function readArguments() {
  const options = {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now()) },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const wrong = [values.seconds, values.seed].find((text) => !/^\d+$/.test(text));
  if (wrong !== undefined) throw new ScriptError(`"${wrong}" is not a number`);
  return { ...values, target: positionals[0] };
}

/** The compilers for libFuzzer, if they can build a program with it. */
function findClang() {
  const versions = Array.from(
    { length: newestClang - oldestClang + 1 },
    (_, at) => newestClang - at,
  );
  for (const suffix of ['', ...versions.map((version) => `-${version}`)]) {
    const compiler = `clang++${suffix}`;
    if (outputOf(compiler, ['--version']) === null) continue;
    const program = inRoot('build/fuzz-probe');
    const probe = spawnSync(
      compiler,
      ['-x', 'c++', '-fsanitize=fuzzer,address', '-', '-o', program],
      { input: 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' },
    );
    if (probe.status === 0) return { c: `clang${suffix}`, cxx: compiler };
  }
  return null;
}

function fuzzWithClang(clang, { target, seconds, seed }) {
  const program = buildFuzz({
    folder: 'build/fuzz-clang',
    definitions: [
      ...sanitizedBuild('address').definitions,
      'SERIESDB_LIBFUZZER=ON',
      `CMAKE_C_COMPILER=${clang.c}`,
      `CMAKE_CXX_COMPILER=${clang.cxx}`,
    ],
  });
  const grown = `build/fuzz-corpus/${target}`;
  const seeds = `build/fuzz-seeds/${target}`;
  const known = `test/fuzz/corpus/${target}`;
  for (const folder of [grown, seeds]) mkdirSync(inRoot(folder), { recursive: true });
  const folders = filesBelow(known, ['']).length > 0 ? [grown, seeds, known] : [grown, seeds];
  const limits = ['-max_len=4096', '-timeout=10', '-malloc_limit_mb=512', '-print_final_stats=1'];
  const flags = [`-max_total_time=${seconds}`, `-seed=${Number(seed) % 2 ** 32}`, ...limits];
  return run(program, [...flags, `-artifact_prefix=${found}/${target}-`, ...folders], {
    SERIESDB_FUZZ_TARGET: target,
    SERIESDB_FUZZ_SEEDS: seeds,
  });
}

function fuzzWithDriver({ target, seconds, seed }) {
  // By the default compiler, since there is no clang.
  const build = { folder: 'build/fuzz-driver', definitions: ['SERIESDB_SANITIZE=ON'] };
  const program = buildFuzz(build);
  const flags = ['--seconds', seconds, '--seed', seed, '--found', found, target];
  return run(program, flags, sanitizedProgram('address'));
}

async function fuzzScript({ target, seconds, seed }) {
  await setup();
  const env = { SDB_FUZZ_SECONDS: seconds, SERIESDB_SEED: seed };
  return runMocha(`test/fuzz/${target}.test.js`, env).failed;
}

/** The names declared in the targets; a file may have several. */
function targetNames() {
  return filesBelow('test/fuzz/targets', ['.cc']).flatMap((file) =>
    [...readText(file).matchAll(/^ +\.name = "(.+)",$/gm)].map(([, name]) => name),
  );
}

await main(() => {
  const options = readArguments();
  const ending = '.test.ts';
  const scripts = filesBelow('test/fuzz', [ending]).map((file) => path.basename(file, ending));
  const names = [...targetNames(), ...scripts];
  if (options.target !== undefined && !names.includes(options.target)) {
    throw new ScriptError(`no fuzz target "${options.target}"; there are ${names.join(', ')}`);
  }
  mkdirSync(path.join(root, found), { recursive: true });
  const clang = findClang();
  console.log(clang === null ? 'No clang with libFuzzer: our own driver.' : `With ${clang.cxx}.`);
  const failed = names
    .filter((name) => options.target === undefined || options.target === name)
    .filter((target) => {
      const one = { ...options, target };
      if (scripts.includes(target)) return fuzzScript(one) !== 0;
      return (clang === null ? fuzzWithDriver(one) : fuzzWithClang(clang, one)) !== 0;
    });
  if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}. Inputs are in ${found}/.`);
  return failed.length === 0 ? 0 : 1;
});
