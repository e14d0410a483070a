// Makes a clone ready to run: dependencies, addon, compiled TypeScript. Each has a stamp of its
// inputs, so a second call does nothing. Uses only Node's own modules.
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
import { keepProgram, takeReadyProgram } from './setup/ready-program.mjs';
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

// An optional package is for one platform and one version of Node.js. npm skips the others.
const isMeantForHere = ({ os, cpu, engines }) =>
  (os?.includes(process.platform) ?? true) &&
  (cpu?.includes(process.arch) ?? true) &&
  (engines?.node === undefined || engines.node.startsWith(`>=${nodeMajor}.`));

// npm writes node_modules/.package-lock.json at its end. If it matches the lock file, a clone that
// was set up by hand needs no second installation. `isNeeded` chooses packages of the lock file.
function matchesLock(isNeeded = () => true) {
  const hidden = 'node_modules/.package-lock.json';
  if (!existsSync(inRoot(hidden))) return false;
  const installed = JSON.parse(readText(hidden)).packages;
  return Object.entries(JSON.parse(readText('package-lock.json')).packages).every(
    ([name, wanted]) =>
      name === '' ||
      !isNeeded(wanted) ||
      (wanted.optional === true && !isMeantForHere(wanted)) ||
      installed[name]?.version === wanted.version,
  );
}

// No package has an install script, and should one get one, it does not run.
async function npm(...args) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  const code = await runAside('npm', [...args, '--include=optional', ...quiet]);
  if (code !== 0) throw new ScriptError(`"npm ${args.join(' ')}" failed (exit code ${code})`);
}

/** Installs the addon's build dependencies first, a tenth of all, so that its build can begin. */
async function ensureRuntimeDependencies() {
  if (isStamped(dependencyStamp, lockHash())) return;
  if (matchesLock(({ dev, devOptional }) => dev !== true && devOptional !== true)) return;
  console.log('[1/2] Installing the dependencies …');
  await npm('ci', '--omit=dev');
}

/**
 * Installs the rest during the addon's build. `npm ci` compares package.json with the lock file.
 */
async function ensureDependencies() {
  if (isStamped(dependencyStamp, lockHash())) return;
  if (!matchesLock()) {
    console.log('      Installing the tools for the program, while the engine compiles …');
    await npm('install', '--no-save', '--include=dev');
  }
  refuseAlteredBinaries();
  // Optional packages may be missing: npm skips packages for other machines.
  writeFileSync(inRoot(dependencyStamp), lockHash());
}

/**
 * Installs third-party clients for the tests. A mere `npm start` does not need them. Links make
 * them visible in the tests' sources and compiled files.
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

// Mocha would still run a compiled test whose source is deleted.
function removeOrphans() {
  const compiled = filesBelow('dist', ['.js', '.js.map', '.d.ts']);
  for (const file of compiled.filter((one) => !/^dist\/(bin|ui)\//.test(one))) {
    const source = file.replace(/^dist\//, '').replace(/(\.js|\.js\.map|\.d\.ts)$/, '.ts');
    if (!existsSync(inRoot(source))) rmSync(inRoot(file));
  }
}

const programSettings = ['package.json', 'package-lock.json', 'scripts/bundle.mjs'];
// The sources of the program, without the page.
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

/** Builds the program without checking types. */
async function ensureProgram() {
  if (!isStamped(programStamp, programHash())) await bundle();
}

/** Compiles all TypeScript with type checks, then builds the program. */
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

/** The source folders of the built-in page. */
export const pageRooms = ['src/ui', 'src/client', 'src/query', 'src/common'];

function pageHash() {
  const rooms = pageRooms.flatMap((folder) => filesBelow(folder, ['']));
  const docs = filesBelow('docs', ['.md']);
  const scripts = ['build', 'docs-pages', 'markdown'].map((name) => `scripts/ui/${name}.mjs`);
  return hashFiles(['package-lock.json', ...scripts, ...rooms, ...docs]);
}

const hasPage = (stamp) =>
  isStamped(pageStamp, stamp) && existsSync(inRoot('dist/ui/manifest.json'));

/** Builds the page without checking types. */
async function ensurePage() {
  const stamp = pageHash();
  if (hasPage(stamp)) return;
  rmSync(inRoot(pageStamp), { force: true });
  if ((await runNode('scripts/ui/build.mjs')) !== 0)
    throw new ScriptError('The page was not built');
  writeFileSync(inRoot(pageStamp), stamp);
}

/** Whether program and page are built, or were found built of these sources. */
function isProgramReady() {
  const hashes = { program: programHash(), page: pageHash() };
  if (isStamped(programStamp, hashes.program) && hasPage(hashes.page)) return true;
  const source = takeReadyProgram(hashes);
  if (source !== null) console.log(`      The program: taken from ${source}.`);
  return source !== null;
}

// Records the commit that the server reports. A source tree without git has none.
function recordCommit() {
  const file = inRoot('dist/commit.txt');
  const commit = outputOf('git', ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']);
  if (commit === null) rmSync(file, { force: true });
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== commit) writeFileSync(file, commit);
}

// Waits for all tasks, so that no task continues after a failure.
async function together(...tasks) {
  const failed = (await Promise.allSettled(tasks)).find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/**
 * Prepares everything for `npm test`, or with `onlyProgram` for `npm start`. Does nothing if
 * everything is up to date.
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
    const build = async () => {
      await ensureDependencies();
      await ensurePage();
      await (onlyProgram ? ensureProgram() : ensureCompiled());
    };
    const rest = onlyProgram && isProgramReady() ? Promise.resolve() : build();
    await together(ensureAddon(undefined, { step: '[2/2] ' }), rest);
    compileAhead();
    keepProgram({ program: programHash(), page: pageHash() });
    recordCommit();
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(() => setup());
