// `npm start`: runs setup if needed, then serves in this process. So signals reach the server, and
// its exit code is ours. For the same reason package.json uses `exec`: a shell in between would die
// of the signal and leave the server running. Flags after `--` go to `seriesdb serve`.
import { pathToFileURL } from 'node:url';

import { ScriptError, inRoot, main } from './project.mjs';
import { setup } from './setup.mjs';

// Check this flag of other servers before minutes of setup. Our own flags are checked afterwards.
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
  // From here on the server decides on its exit code.
  return process.exitCode;
});
