// `npm run bench:install [-- FORM …]`: how long a new user waits until `/readyz` answers, once for
// each form of installation, in clean folders: `clone`, `archive`, `executable`, `deb`. The last
// three are measured if they were made. It prints the rows of the table in docs/install.md.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { ScriptError, inRoot, main } from '../project.mjs';

const address = '127.0.0.1:9478';

const secondsSince = (began) => ((performance.now() - began) / 1000).toFixed(2);

/**
 * What a process gets: a home of its own, so that nothing of earlier installations is there. The
 * variables of this script's own npm stay away; those of the machine, such as a proxy, do not.
 */
function environment(home) {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|XDG_|SERIESDB_)/.test(name));
  return { ...Object.fromEntries(own), HOME: home };
}

function runIn(folder, command, env) {
  const [file, ...args] = command;
  return spawn(file, args, { cwd: folder, env, stdio: 'ignore' });
}

async function ended(child, what) {
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new ScriptError(`${what} ended with ${code}`);
}

async function isReady() {
  try {
    return (await fetch(`http://${address}/readyz`)).ok;
  } catch {
    return false;
  }
}

/** Starts a server, and returns the seconds until it answers. Then it is stopped. */
async function firstAnswer(folder, command, home) {
  if (await isReady()) throw new ScriptError(`a server answers at ${address} already`);
  const began = performance.now();
  const data = mkdtempSync(path.join(folder, 'data-'));
  const flags = ['--listen', address, '--data-dir', data];
  const child = runIn(folder, [...command, ...flags], environment(home));
  const exit = new Promise((resolve) => child.once('exit', resolve));
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new ScriptError(`${command[0]} ended before it answered`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const seconds = secondsSince(began);
  // The first server of an archive compiles its code for later ones a few seconds after its start.
  await new Promise((resolve) => setTimeout(resolve, 6000));
  child.kill('SIGTERM');
  await exit;
  return seconds;
}

/** The row of a form whose installation is done. */
async function measure(folder, { form, command, home, before = '' }) {
  const first = await firstAnswer(folder, command, home);
  const later = await firstAnswer(folder, command, home);
  return `| ${form} | ${before}${first} s | ${later} s |`;
}

function madeFile(folder, ending, how) {
  const names = existsSync(inRoot(folder)) ? readdirSync(inRoot(folder)) : [];
  const name = names.find((one) => one.endsWith(ending));
  if (name === undefined) throw new ScriptError(`there is no ${ending}; run "npm run ${how}"`);
  return inRoot(folder, name);
}

const forms = {
  async clone(folder) {
    const own = path.join(folder, 'clone');
    await ended(runIn(folder, ['git', 'clone', '-q', inRoot(), own], process.env), 'git');
    const form = 'clone with a ready engine: `npm start`';
    // The home of this user has the engine of an earlier build, and npm's cache.
    const command = ['npm', '--prefix', own, 'start', '--'];
    return measure(folder, { form, command, home: os.homedir() });
  },
  async archive(folder) {
    const archive = madeFile('build/package', '.tgz', 'package');
    const home = path.join(folder, 'home');
    const began = performance.now();
    const install = ['npm', 'install', '--global', '--prefix', folder, archive];
    await ended(runIn(folder, install, environment(home)), 'npm');
    const before = `${secondsSince(began)} s for the packages, then `;
    const command = [path.join(folder, 'bin/seriesdb'), 'serve'];
    const form = 'archive: `npm install`, then `seriesdb serve`';
    return measure(folder, { form, command, home, before });
  },
  async executable(folder) {
    const file = path.join(folder, 'seriesdb');
    copyFileSync(madeFile('build/executable', 'seriesdb', 'executable'), file);
    const home = path.join(folder, 'home');
    const form = 'one file: `./seriesdb serve`';
    return measure(folder, { form, command: [file, 'serve'], home });
  },
  async deb(folder) {
    const file = madeFile('build/deb', '.deb', 'deb');
    const began = performance.now();
    await ended(runIn(folder, ['dpkg-deb', '-x', file, folder], process.env), 'dpkg-deb');
    const before = `${secondsSince(began)} s to unpack, then `;
    const program = path.join(folder, 'usr/lib/seriesdb');
    const command = [
      path.join(program, 'node'),
      path.join(program, 'dist/bin/seriesdb.js'),
      'serve',
    ];
    const form = 'Debian package: `apt-get install ./seriesdb_….deb`';
    return measure(folder, { form, command, home: path.join(folder, 'home'), before });
  },
};

await main(async () => {
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !Object.hasOwn(forms, name));
  if (unknown !== undefined) throw new ScriptError(`no form "${unknown}"`);
  const rows = [];
  for (const name of asked.length > 0 ? asked : Object.keys(forms)) {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'seriesdb-install-'));
    try {
      mkdirSync(path.join(folder, 'home'));
      rows.push(await forms[name](folder));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  console.log(['| form | first answer | later starts |', '|---|---|---|', ...rows].join('\n'));
});
