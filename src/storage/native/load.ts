/** Finds and loads the addon; the only file that does. */
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { NativeAddon } from './contract.js';

/** The output path of cmake-js, relative to the package root. */
const builtPath = join('build', 'native', 'Release', 'seriesdb.node');

/** Compiled files are in the package's folder `dist`, at any depth. */
function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (basename(directory) !== 'dist' && directory !== dirname(directory)) {
    directory = dirname(directory);
  }
  return dirname(directory);
}

/** The path of the built addon, even if it is missing. */
export const addonFile = (): string => join(packageRoot(), builtPath);

/**
 * `path` overrides the built addon, for example with a build with sanitizers. Throws an Error with
 * one sentence if the addon is missing.
 */
export function loadAddon(path?: string): NativeAddon {
  const file = path ?? addonFile();
  if (!existsSync(file)) {
    throw new Error(`The native addon is not built (no ${file}). Run "npm run build".`);
  }
  return createRequire(import.meta.url)(file) as NativeAddon;
}
