/** The program that tests run: the bundle, and never one that is older than what it is made of. */
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** tsc notes when it compiled the sources, and `npm run build` bundles them after it. */
function freshBundle(): string {
  const file = pathOf('../../bin/seriesdb.js');
  if (statSync(file).mtimeMs < statSync(pathOf('../../.tsbuildinfo')).mtimeMs) {
    throw new Error(`${file} is older than what it is made of: run "npm run build"`);
  }
  return file;
}

export const programFile = freshBundle();
