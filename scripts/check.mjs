// `npm run check`: all automatic checks except the tests, two at a time. After a failure the other
// steps still run, so that one run shows every problem.
import { main, runCollected, runNode } from './project.mjs';
import { setup } from './setup.mjs';

const bin = (tool) => `node_modules/${tool}`;
const formatted = [
  ...['src', 'test', 'bench', 'examples'].map((folder) => `${folder}/**/*.ts`),
  'src/ui/**/*.{tsx,css}',
];

// Those that take long come first, so that none of them is left alone at the end.
const steps = [
  ['lint', [bin('eslint/bin/eslint.js'), '--max-warnings=0', '.']],
  ['names in units', ['scripts/unit-names.mjs']],
  ['format', [...prettier('--check')]],
  ['types', [bin('typescript/bin/tsc'), '--noEmit', '-p', '.']],
  ['types of the page', [bin('typescript/bin/tsc'), '-p', 'src/ui']],
  ['layers', ['scripts/layers/layers.mjs']],
  ['sizes', ['scripts/sizes.mjs']],
  ['names of types', ['scripts/type-names.mjs']],
  ['dead C++ files', ['scripts/dead-files.mjs']],
  [
    'unused files, exports and packages',
    [bin('knip/bin/knip.js'), '--no-progress', '-c', 'scripts/knip.json'],
  ],
  ['words', ['scripts/words.mjs']],
  ['binaries of uWebSockets.js', ['scripts/uws-binaries.mjs']],
  ['documents', ['scripts/docs/commands.mjs']],
  ['table of commands', ['scripts/command-table.mjs', '--check']],
  ['tables of functions', ['scripts/function-tables.mjs', '--check']],
  ['generated documents', ['scripts/docs/tables.mjs', '--check']],
  ['benchmarks', ['scripts/bench.mjs', '--build']],
  ['size of the page', ['scripts/ui/build.mjs', '--check']],
];

function prettier(mode) {
  const options = ['--no-error-on-unmatched-pattern', '--log-level=warn'];
  return [bin('prettier/bin/prettier.cjs'), mode, ...options, ...formatted, 'scripts', '*.mjs'];
}

/** Runs a step and prints what it says as a whole, at its end. Returns its name if it failed. */
async function attempt([name, command]) {
  const started = performance.now();
  const { code, text } = await runCollected(command);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(text);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  return code === 0 ? [] : [name];
}

async function runInTurn(waiting) {
  const failed = [];
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    failed.push(...(await attempt(step)));
  }
  return failed;
}

await main(async () => {
  if (process.argv.includes('--write')) return runNode(prettier('--write'));
  await setup();
  const waiting = [...steps];
  const failed = (await Promise.all([runInTurn(waiting), runInTurn(waiting)])).flat();
  console.log(failed.length === 0 ? 'check: all ok' : `check: failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});
