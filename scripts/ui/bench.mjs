// `npm run bench:ui`: the built-in page against its budgets of time (bench/ui.ts explains how).
import { main, runNode } from '../project.mjs';
import { setup } from '../setup.mjs';

await main(async () => {
  await setup();
  return runNode(['--enable-source-maps', 'dist/bench/ui.js']);
});
