// Lets V8 compile the program once for the current Node.js, so that no start compiles it:
// docs/decisions/0088. Uses only Node's own modules.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { inRoot } from '../project.mjs';
import { v8Flags } from './v8-flags.mjs';

const { version, arch } = process;

/**
 * The code caches that src/server/starting/chunks.ts reads, each with the V8 flags that it is valid
 * for.
 */
const keptCode = [
  [`dist/bin/compiled-${version}-${arch}.bin`, []],
  [`dist/bin/compiled-${version}-${arch}-all.bin`, v8Flags],
];

/** Does nothing if the files exist. Without them, starts only take longer. */
export function compileAhead() {
  for (const [file, flags] of keptCode) {
    if (!existsSync(inRoot(file))) compileWith(flags);
  }
}

function compileWith(flags) {
  const script = inRoot('dist/bin/compile-ahead.js');
  if (!existsSync(script)) return;
  // Settings in the environment are for servers, so this process gets none.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SERIESDB_'));
  const options = { env: Object.fromEntries(own), encoding: 'utf8', timeout: 60_000 };
  const { status, stderr } = spawnSync(process.execPath, [...flags, script], options);
  if (status !== 0) console.log(`The program is not compiled ahead: ${stderr.trim()}`);
}
