// `npm run golden -- FORMAT`: generates the golden directories of the format that this build
// writes. Directories of earlier formats are kept, since this build cannot generate them.
import { main, runNode } from './project.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  await setup();
  return runNode(['--enable-source-maps', 'dist/test/golden/make.js', ...process.argv.slice(2)]);
});
