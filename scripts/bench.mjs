// `npm run bench [-- flags]`: set up, then measure a real server (bench/run.ts explains its flags).
// `--build` only builds what it needs.
import { buildTarget } from './native-build.mjs';
import { main, runNode } from './project.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  await setup();
  buildTarget('seriesdb_benches');
  if (process.argv.includes('--build')) return 0;
  return runNode(['dist/bench/run.js', ...process.argv.slice(2)]);
});
