// Has V8 compile the program once, for this Node.js, so that no start does: docs/decisions/0088.
// Only Node's own modules.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { inRoot } from '../project.mjs';
import { v8Flags } from './v8-flags.mjs';

const { version, arch } = process;

/** The files that src/server/starting/chunks.ts reads, and the flags that each is good for. */
const keptCode = [
  [`dist/bin/compiled-${version}-${arch}.bin`, []],
  [`dist/bin/compiled-${version}-${arch}-all.bin`, v8Flags],
];

/** Does nothing when they are there. Without them starts take longer, and nothing else. */
export function compileAhead() {
  for (const [file, flags] of keptCode) {
    if (!existsSync(inRoot(file))) compileWith(flags);
  }
}

function compileWith(flags) {
  const script = inRoot('dist/bin/compile-ahead.js');
  if (!existsSync(script)) return;
  // Settings are meant for servers; this one has none.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SERIESDB_'));
  const options = { env: Object.fromEntries(own), encoding: 'utf8', timeout: 60_000 };
  const { status, stderr } = spawnSync(process.execPath, [...flags, script], options);
  if (status !== 0) console.log(`The program is not compiled ahead: ${stderr.trim()}`);
}
