// `npm run demo [-- --once] [-- --data FOLDER]`: runs setup as `npm start` does, then
// examples/demo.ts. Only the demo's few files are compiled here, since a full build needs the
// clients of the tests.
import { ScriptError, main, runNode } from './project.mjs';
import { setup } from './setup.mjs';

const compiler = [
  ...['node_modules/typescript/bin/tsc', 'examples/demo.ts', '--noCheck', '--ignoreConfig'],
  ...['--rootDir', '.', '--outDir', 'dist', '--module', 'nodenext', '--target', 'es2023'],
  ...['--types', 'node', '--sourceMap'],
];

await main(async () => {
  await setup({ onlyProgram: true });
  if (runNode(compiler) !== 0) throw new ScriptError('The demo did not compile');
  return runNode(['dist/examples/demo.js', ...process.argv.slice(2)]);
});
