// `npm run bench [-- flags]`: set up, then measure a real server (bench/run.ts explains its flags).
import { buildTarget } from './native-build.mjs';
import { main, runNode } from './project.mjs';
import { setup } from './setup.mjs';

await main(() => {
  setup();
  buildTarget('seriesdb_core');
  return runNode(['dist/bench/run.js', ...process.argv.slice(2)]);
});
