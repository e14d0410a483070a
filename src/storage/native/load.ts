/** Finds and loads the addon; the only file that does. */
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { NativeAddon } from './contract.js';

/** Where cmake-js puts the addon, relative to the package root. */
const builtPath = join('build', 'native', 'Release', 'seriesdb.node');

/** Compiled files are in its folder `dist`, at any depth. */
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
 * `path` overrides the built addon, for example with one built with sanitizers.
 * Throws with one clear sentence when there is none.
 */
export function loadAddon(path?: string): NativeAddon {
  const file = path ?? addonFile();
  if (!existsSync(file)) {
    throw new Error(`The native addon is not built (no ${file}). Run "npm run build".`);
  }
  return createRequire(import.meta.url)(file) as NativeAddon;
}
