// `npm start`: set up if needed, then serve in this very process, so that signals reach the server
// and its exit code is ours. For the same reason package.json starts it with `exec`: a shell in
// between would die of the signal and leave the server behind. Flags after `--` go to
// `seriesdb serve`.
import { pathToFileURL } from 'node:url';

import { ScriptError, inRoot, main } from './project.mjs';
import { setup } from './setup.mjs';

// Before minutes of setting up: other servers have this flag, and ours are known after them.
function refusePort(flags) {
  const at = flags.findIndex((flag) => /^(-p|--port)(=|$)/.test(flag));
  if (at < 0) return;
  const text = flags[at].split('=')[1] ?? flags[at + 1] ?? '';
  const port = /^\d+$/.test(text) ? text : 'PORT';
  throw new ScriptError(
    `there is no ${flags[at].split('=')[0]}; write: npm start -- --listen 127.0.0.1:${port}`,
  );
}

await main(async () => {
  refusePort(process.argv.slice(2));
  await setup({ onlyProgram: true });
  const entry = inRoot('dist/bin/seriesdb.js');
  process.argv = [process.execPath, entry, 'serve', ...process.argv.slice(2)];
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(entry).href);
  // The server decides on its exit code from here on.
  return process.exitCode;
});
