/** The program under test: the bundle, never older than its sources. */
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/**
 * tsc notes when it compiled the sources, and `npm run build` bundles them after it. The demo runs
 * without tsc's note.
 */
function freshBundle(): string {
  const file = pathOf('../../bin/seriesdb.js');
  const compiled = statSync(pathOf('../../.tsbuildinfo'), { throwIfNoEntry: false });
  if (compiled !== undefined && statSync(file).mtimeMs < compiled.mtimeMs) {
    throw new Error(`${file} is older than what it is made of: run "npm run build"`);
  }
  return file;
}

export const programFile = freshBundle();
