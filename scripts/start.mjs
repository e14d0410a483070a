// `npm start`: set up if needed, then serve in this very process, so that signals reach the server
// and its exit code is ours. For the same reason package.json starts it with `exec`: a shell in
// between would die of the signal and leave the server behind. Flags after `--` go to
// `seriesdb serve`.
import { pathToFileURL } from 'node:url';

import { inRoot, main } from './project.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  await setup({ onlyProgram: true });
  const entry = inRoot('dist/bin/seriesdb.js');
  process.argv = [process.execPath, entry, 'serve', ...process.argv.slice(2)];
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(entry).href);
  // The server decides on its exit code from here on.
  return process.exitCode;
});
