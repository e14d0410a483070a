// Has V8 compile the program once, for this Node.js, so that no start does: docs/decisions/0088.
// Only Node's own modules.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { inRoot } from '../project.mjs';

const { version, arch } = process;

/** What src/starting/chunks.ts reads. */
const keptCode = `dist/bin/compiled-${version}-${arch}.bin`;

/** Does nothing when it is there. Where it cannot be made, starts take longer, and nothing else. */
export function compileAhead() {
  const script = inRoot('dist/bin/compile-ahead.js');
  if (existsSync(inRoot(keptCode)) || !existsSync(script)) return;
  // Settings are meant for servers; this one has none.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SERIESDB_'));
  const options = { env: Object.fromEntries(own), encoding: 'utf8', timeout: 60_000 };
  const { status, stderr } = spawnSync(process.execPath, [script], options);
  if (status !== 0) console.log(`The program is not compiled ahead: ${stderr.trim()}`);
}
