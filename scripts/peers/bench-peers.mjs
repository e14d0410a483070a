// `npm run bench:peers`: runs setup, then measures this build and the installed databases.
// bench/peers.ts explains the method and the flags. Debian: apt-get install victoria-metrics
// prometheus influxdb clickhouse-server; npm install --prefix build/peers chdb@3.4.0.
import { main, runNode } from '../project.mjs';
import { v8Flags } from '../setup/v8-flags.mjs';
import { setup } from '../setup.mjs';

await main(async () => {
  await setup();
  // Start servers with the same flags as `npm start`.
  process.env.SDB_TEST_NODE_FLAGS = v8Flags.join(' ');
  return runNode(['dist/bench/peers.js', ...process.argv.slice(2)]);
});
