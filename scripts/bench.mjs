// `npm run bench [-- flags]`: runs setup, then measures a real server. bench/run.ts explains its
// flags. `npm run bench:instructions` also counts instructions (bench/instructions/run.ts).
// `--build` only builds the benchmarks.
import { buildTarget } from './native-build.mjs';
import { main, runNode } from './project.mjs';
import { setup } from './setup.mjs';
import { v8Flags } from './setup/v8-flags.mjs';

await main(async () => {
  await setup();
  buildTarget('seriesdb_benches');
  const flags = process.argv.slice(2);
  if (flags.includes('--build')) return 0;
  // Start servers with the same flags as `npm start`.
  process.env.SDB_TEST_NODE_FLAGS = v8Flags.join(' ');
  const [first, ...rest] = flags;
  if (first === '--instructions') return runNode(['dist/bench/instructions/run.js', ...rest]);
  return runNode(['dist/bench/run.js', ...flags]);
});
