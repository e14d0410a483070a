// Brings a clone to the state in which it runs: dependencies, addon, compiled TypeScript. Each
// of the three has a stamp made from its inputs, so that a second call does nothing. Only
// Node's own modules.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { makeCommandTable } from './command-table.mjs';
import { makeFunctionTables } from './function-tables.mjs';
import { ensureAddon } from './native-build.mjs';
import {
  ScriptError,
  filesBelow,
  hashFiles,
  inRoot,
  main,
  outputOf,
  readText,
  runAside,
} from './project.mjs';
import { compileAhead } from './setup/compile-ahead.mjs';
import { alone } from './setup/lock.mjs';
import { installForTests } from './setup/pinned-packages.mjs';
import { refuseAlteredBinaries } from './uws-binaries.mjs';

const dependencyStamp = 'node_modules/.seriesdb-stamp';
const compileStamp = 'dist/.stamp';
const programStamp = 'dist/.program-stamp';
const pageStamp = 'dist/.page-stamp';

const runNode = (...args) => runAside(process.execPath, args);

const isStamped = (file, stamp) =>
  existsSync(inRoot(file)) && readFileSync(inRoot(file), 'utf8') === stamp;

const nodeMajor = process.versions.node.split('.')[0];
const here = `${process.platform} ${process.arch} ${nodeMajor}`;
const lockHash = () => hashFiles(['package-lock.json'], here);

// An optional package belongs to one platform and one version of Node; the others stay away.
const isMeantForHere = ({ os, cpu, engines }) =>
  (os?.includes(process.platform) ?? true) &&
  (cpu?.includes(process.arch) ?? true) &&
  (engines?.node === undefined || engines.node.startsWith(`>=${nodeMajor}.`));

// npm leaves node_modules/.package-lock.json when it has finished; a clone that was set up by hand
// needs no second installation when both lists agree.
function matchesLock() {
  const hidden = 'node_modules/.package-lock.json';
  // A package that was installed from its archive has neither.
  if (!existsSync(inRoot(hidden)) || !existsSync(inRoot('package-lock.json'))) return false;
  const installed = JSON.parse(readText(hidden)).packages;
  return Object.entries(JSON.parse(readText('package-lock.json')).packages).every(
    ([name, wanted]) =>
      name === '' ||
      (wanted.optional === true && !isMeantForHere(wanted)) ||
      installed[name]?.version === wanted.version,
  );
}

/** Records that node_modules is what the lock file asks for, development tools included. */
export function stampDependencies() {
  if (!matchesLock()) return;
  writeFileSync(inRoot(dependencyStamp), lockHash());
}

// The addon is built below, with its own stamp, not by our install script; no package has one.
async function npm(...args) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  const code = await runAside('npm', [...args, '--include=optional', ...quiet]);
  if (code !== 0) throw new ScriptError(`"npm ${args.join(' ')}" failed (exit code ${code})`);
}

/** Installs what the addon is built with, a tenth of all, so that its build can begin. */
async function ensureRuntimeDependencies() {
  if (isStamped(dependencyStamp, lockHash()) || matchesLock()) return;
  console.log('[1/2] Installing the dependencies …');
  await npm('ci', '--omit=dev');
}

/** Adds the rest, while the addon is built. `npm ci` has compared package.json with the lock. */
async function ensureDependencies() {
  if (isStamped(dependencyStamp, lockHash())) return;
  if (!matchesLock()) {
    console.log('      Installing the tools for the program, while the engine compiles …');
    await npm('install', '--no-save', '--include=dev');
  }
  refuseAlteredBinaries();
  // Also when an optional package is not there: npm leaves out what this machine cannot use.
  writeFileSync(inRoot(dependencyStamp), lockHash());
}

/**
 * Clients of others, which tests write with, and which nobody who only starts a server waits for.
 * They are found from the tests and from what these are compiled to.
 */
async function ensureClients() {
  const folder = await installForTests('clients', {
    told: 'clients for tests (110 MB)',
    flags: ['--include=optional'],
  });
  for (const tests of ['test', 'dist/test']) {
    const link = inRoot(tests, 'node_modules');
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    mkdirSync(inRoot(tests), { recursive: true });
    symlinkSync(path.relative(inRoot(tests), path.join(folder, 'node_modules')), link);
  }
}

// A compiled file whose source is gone would still be run by mocha.
function removeOrphans() {
  const compiled = filesBelow('dist', ['.js', '.js.map', '.d.ts']);
  for (const file of compiled.filter((one) => !/^dist\/(bin|ui)\//.test(one))) {
    const source = file.replace(/^dist\//, '').replace(/(\.js|\.js\.map|\.d\.ts)$/, '.ts');
    if (!existsSync(inRoot(source))) rmSync(inRoot(file));
  }
}

const programSettings = ['package.json', 'package-lock.json', 'scripts/bundle.mjs'];
// The page is no part of it.
const programSources = () =>
  filesBelow('src', ['.ts']).filter((file) => !file.startsWith('src/ui/'));
const programHash = () => hashFiles([...programSettings, ...programSources()]);

async function bundle() {
  const stamp = programHash();
  rmSync(inRoot(programStamp), { force: true });
  if ((await runNode('scripts/bundle.mjs')) !== 0) {
    throw new ScriptError('The program was not bundled');
  }
  writeFileSync(inRoot(programStamp), stamp);
}

/** The program alone: its types are not checked. */
async function ensureProgram() {
  if (!isStamped(programStamp, programHash())) await bundle();
}

/** All TypeScript, with its types checked, and the program after it. */
async function ensureCompiled() {
  await ensureClients();
  const folders = ['src', 'test', 'bench', 'examples'];
  const sources = folders.flatMap((folder) => filesBelow(folder, ['.ts']));
  const settings = ['tsconfig.json', 'test/clients/package-lock.json', ...programSettings];
  const stamp = hashFiles([...settings, ...sources]);
  if (isStamped(compileStamp, stamp)) return ensureProgram();
  rmSync(inRoot(compileStamp), { force: true });
  if ((await runNode('node_modules/typescript/bin/tsc', '-p', '.')) !== 0) {
    throw new ScriptError('TypeScript did not compile');
  }
  await bundle();
  removeOrphans();
  writeFileSync(inRoot(compileStamp), stamp);
}

/** Where the sources of the built-in page are. */
export const pageRooms = ['src/ui', 'src/client', 'src/query', 'src/common'];

/** The built-in page; its types are not checked. */
async function ensurePage() {
  const rooms = pageRooms.flatMap((folder) => filesBelow(folder, ['']));
  const docs = filesBelow('docs', ['.md']);
  const scripts = ['build', 'docs-pages', 'markdown'].map((name) => `scripts/ui/${name}.mjs`);
  const stamp = hashFiles(['package-lock.json', ...scripts, ...rooms, ...docs]);
  if (isStamped(pageStamp, stamp) && existsSync(inRoot('dist/ui/manifest.json'))) return;
  rmSync(inRoot(pageStamp), { force: true });
  if ((await runNode('scripts/ui/build.mjs')) !== 0)
    throw new ScriptError('The page was not built');
  writeFileSync(inRoot(pageStamp), stamp);
}

// The commit that is shown as what runs; a source without git has none.
function recordCommit() {
  const file = inRoot('dist/commit.txt');
  const commit = outputOf('git', ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']);
  if (commit === null) rmSync(file, { force: true });
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== commit) writeFileSync(file, commit);
}

// Both to their end, so that nothing runs on behind a failure.
async function together(...tasks) {
  const failed = (await Promise.allSettled(tasks)).find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/**
 * Everything that `npm test` needs, or with `onlyProgram` what `npm start` does. Does nothing when
 * it is there.
 */
export async function setup({ onlyProgram = false } = {}) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new ScriptError(`Node.js 20.19 or newer is needed; this is ${process.versions.node}`);
  }
  await alone(async () => {
    makeFunctionTables();
    makeCommandTable();
    await ensureRuntimeDependencies();
    const rest = ensureDependencies().then(async () => {
      await ensurePage();
      await (onlyProgram ? ensureProgram() : ensureCompiled());
    });
    await together(ensureAddon(), rest);
    compileAhead();
    recordCommit();
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(() => setup());
