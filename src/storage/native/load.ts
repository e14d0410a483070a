/** Finds and loads the addon; the only file that does. */
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { thrownMessage } from '../../common/errors/thrown-message.js';

import type { NativeAddon } from './contract.js';

/** What was compiled on this machine, relative to the package root: the output path of cmake-js. */
const builtPath = join('build', 'native', 'Release', 'seriesdb.node');

/** The addons of an archive, one for each kind of machine (scripts/package/addons.mjs). */
const packedFolder = join('build', 'addons');

const kHelp = '"seriesdb build-addon" compiles one for this machine ("npm run build" in a clone)';

/** Compiled files are in the package's folder `dist`, at any depth. */
function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (basename(directory) !== 'dist' && directory !== dirname(directory)) {
    directory = dirname(directory);
  }
  return dirname(directory);
}

/** For example linux-x64-musl. On Linux an addon is for one C library, which Node.js names. */
export function machineKind(): string {
  const { platform, arch, report } = process;
  if (platform !== 'linux') return `${platform}-${arch}`;
  // Versions of Node.js that have this option would look for names of network addresses without it.
  if ('excludeNetwork' in report) report.excludeNetwork = true;
  const { header } = report.getReport() as { readonly header: object };
  return `${platform}-${arch}-${'glibcVersionRuntime' in header ? 'glibc' : 'musl'}`;
}

/**
 * The path of the addon for this machine, even if it is missing. What was compiled here is taken
 * before what came in an archive.
 */
export function addonFile(): string {
  const built = join(packageRoot(), builtPath);
  if (existsSync(built)) return built;
  return join(packageRoot(), packedFolder, `${machineKind()}.node`);
}

/**
 * `path` overrides the found addon, for example with a build with sanitizers. Throws an Error with
 * one sentence if the addon is missing or does not load.
 */
export function loadAddon(path?: string): NativeAddon {
  const file = path ?? addonFile();
  if (!existsSync(file)) {
    throw new Error(`there is no addon for ${machineKind()}, as ${file} would be; ${kHelp}`);
  }
  try {
    return createRequire(import.meta.url)(file) as NativeAddon;
  } catch (cause) {
    const message = `the addon ${file} does not load: ${thrownMessage(cause)}; ${kHelp}`;
    throw new Error(message, { cause });
  }
}
