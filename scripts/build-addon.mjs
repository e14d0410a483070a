// `seriesdb build-addon`: compiles the addon of an installed package, for a machine that its
// archive has no addon for. The server takes what was compiled here before what the archive has.
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

import { addonPath, ensureAddon } from './native-build.mjs';
import { ScriptError, inRoot, main } from './project.mjs';
import { alone } from './setup/lock.mjs';

/** Throws if the addon does not load in another process: it could end this one. */
export function needLoads(file) {
  const code = `require(${JSON.stringify(file)})`;
  const { status, signal, stderr } = spawnSync(process.execPath, ['-e', code], {
    encoding: 'utf8',
  });
  if (status === 0) return;
  const reason = /^Error: (.*)$/m.exec(stderr)?.[1] ?? `Node.js ended with ${signal ?? status}`;
  throw new ScriptError(`${file} was compiled and does not load: ${reason}`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(() =>
    alone(async () => {
      await ensureAddon();
      const file = inRoot(addonPath());
      needLoads(file);
      console.log(`${file} loads on this ${process.platform}-${process.arch}.`);
    }),
  );
}
