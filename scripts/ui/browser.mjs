// A Chromium and its driver for tests of the built-in page. They are npm packages, installed into
// build/browser at first use, since the page does not need them. Nothing comes from other sources.
import { spawnSync } from 'node:child_process';
import { chmodSync, createReadStream, createWriteStream, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';

import { ScriptError } from '../project.mjs';
import { installForTests } from '../setup/pinned-packages.mjs';

/** Names of a system browser. */
const known = ['chromium', 'chromium-browser', 'chromium-headless-shell'];

function ofSystem() {
  const named = process.env['SERIESDB_CHROMIUM'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new ScriptError(`SERIESDB_CHROMIUM names ${named}, which is not there`);
  }
  return known.map((name) => `/usr/bin/${name}`).find((file) => existsSync(file));
}

/** Unpacks the browser, and libraries that a minimal system lacks. */
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
  // The archives are no longer needed.
  rmSync(archives, { recursive: true });
}

/**
 * The browser's path, its environment, and the folder of its packages. Rejects with a ScriptError
 * if no browser is available.
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

/** A minimal system has no font, and then a page shows no text. */
function fontsOf(folder) {
  if (existsSync('/usr/share/fonts') || existsSync('/usr/local/share/fonts')) return {};
  return { FONTCONFIG_PATH: folder };
}
