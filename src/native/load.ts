/** Finds and loads the addon; the only file that does. */
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { NativeAddon } from './contract.js';

/** Where cmake-js puts the addon, seen from the package's root. */
const builtPath = join('build', 'native', 'Release', 'seriesdb.node');

/** What is compiled lies in its folder `dist`, at whatever depth. */
function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (basename(directory) !== 'dist' && directory !== dirname(directory)) {
    directory = dirname(directory);
  }
  return dirname(directory);
}

/** The addon that stands where the build puts it, whether it is built or not. */
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
