// `npm run bench:ui`: measures the built-in page against its time budgets. bench/ui.ts explains it.
import { main, runNode } from '../project.mjs';
import { setup } from '../setup.mjs';

await main(async () => {
  await setup();
  return runNode(['--enable-source-maps', 'dist/bench/ui.js']);
});
