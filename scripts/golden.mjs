// `npm run golden -- FORMAT`: makes the golden directories of the format that this build writes.
// Those of earlier formats are kept, and cannot be made again.
import { main, runNode } from './project.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  await setup();
  return runNode(['--enable-source-maps', 'dist/test/golden/make.js', ...process.argv.slice(2)]);
});
