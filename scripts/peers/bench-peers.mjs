// `npm run bench:peers`: set up, then measure beside the databases that are installed
// (bench/peers.ts explains how, and its flag). Debian: apt-get install victoria-metrics prometheus.
import { main, runNode } from '../project.mjs';
import { setup } from '../setup.mjs';

await main(async () => {
  await setup();
  return runNode(['dist/bench/peers.js', ...process.argv.slice(2)]);
});
