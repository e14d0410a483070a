/**
 * Packages of databases. DuckDB is among the clients of tests. chDB, which is half a gigabyte, is
 * optional in `build/peers`.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import type { EngineName } from '../embedded.js';

const root = new URL('../../../../', import.meta.url);

/** Throws if the package is missing, or has no binary for this machine. */
export function packageOf(name: EngineName): unknown {
  return name === 'chdb'
    ? createRequire(new URL('build/peers/package.json', root))('chdb')
    : createRequire(new URL('build/clients/package.json', root))('@duckdb/node-api');
}

/** The version that a package reports, read in a short-lived process. Null if it is missing. */
export function versionOfPackage(folder: 'clients' | 'peers', expression: string): string | null {
  const { status, stdout } = spawnSync(process.execPath, ['-p', expression], {
    ...{ cwd: fileURLToPath(new URL('build/', root)), encoding: 'utf8' },
    env: {
      ...process.env,
      NODE_PATH: fileURLToPath(new URL(`build/${folder}/node_modules`, root)),
    },
  });
  return status === 0 ? stdout.trim() : null;
}
