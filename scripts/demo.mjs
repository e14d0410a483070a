// `npm run demo [-- --data FOLDER]`: set up, then run examples/demo.ts.
import { main, runNode } from './project.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  await setup();
  return runNode(['dist/examples/demo.js', ...process.argv.slice(2)]);
});
