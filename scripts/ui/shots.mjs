// `npm run ui:shots`: pictures of the built-in page in its states, in build/screenshots, for a
// person to look at; with --docs those that docs/ui.md shows. Tests compare none: fonts differ
// from one machine to the next.
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
