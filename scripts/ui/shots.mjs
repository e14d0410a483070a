// `npm run ui:shots`: takes screenshots of the built-in page's states into build/screenshots, for
// manual review. `--docs` takes those of docs/ui.md. No test compares them, since fonts differ
// between machines.
import { main, runNode } from '../project.mjs';
import { setup } from '../setup.mjs';

await main(async () => {
  await setup();
  return runNode([
    '--enable-source-maps',
    'dist/test/browser/screenshots.js',
    ...process.argv.slice(2),
  ]);
});
