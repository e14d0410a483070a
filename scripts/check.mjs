// `npm run check`: all automatic checks except the tests. After a failure the other steps still
// run, so that one run shows every problem.
import { main, runNode } from './project.mjs';
import { setup } from './setup.mjs';

const bin = (tool) => `node_modules/${tool}`;
const formatted = [
  ...['src', 'test', 'bench', 'examples'].map((folder) => `${folder}/**/*.ts`),
  'src/ui/**/*.{tsx,css}',
];

const steps = [
  ['layers', ['scripts/layers/layers.mjs']],
  ['sizes', ['scripts/sizes.mjs']],
  ['names in units', ['scripts/unit-names.mjs']],
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
  ['types', [bin('typescript/bin/tsc'), '--noEmit', '-p', '.']],
  ['types of the page', [bin('typescript/bin/tsc'), '-p', 'src/ui']],
  ['size of the page', ['scripts/ui/build.mjs', '--check']],
  ['format', [...prettier('--check')]],
  ['lint', [bin('eslint/bin/eslint.js'), '--max-warnings=0', '.']],
];

function prettier(mode) {
  const options = ['--no-error-on-unmatched-pattern', '--log-level=warn'];
  return [bin('prettier/bin/prettier.cjs'), mode, ...options, ...formatted, 'scripts', '*.mjs'];
}

await main(async () => {
  if (process.argv.includes('--write')) return runNode(prettier('--write'));
  await setup();
  const failed = [];
  for (const [name, command] of steps) {
    const started = performance.now();
    const code = runNode(command);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
    if (code !== 0) failed.push(name);
  }
  console.log(failed.length === 0 ? 'check: all ok' : `check: failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});
