// Brings a clone to the state in which it runs: dependencies, addon, compiled TypeScript. Each
// of the three has a stamp made from its inputs, so that a second call does nothing. Only
// Node's own modules.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  run,
  runNode,
} from './project.mjs';
import { refuseAlteredBinaries } from './uws-binaries.mjs';

const dependencyStamp = 'node_modules/.seriesdb-stamp';
const compileStamp = 'dist/.stamp';

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

function ensureDependencies() {
  if (isStamped(dependencyStamp, lockHash())) return;
  if (!matchesLock()) {
    console.log('Installing the dependencies …');
    const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
    // The addon is built below, with its own stamp, not by npm's install script.
    const code = run('npm', [...args, '--loglevel=error'], { SERIESDB_SKIP_NATIVE: '1' });
    if (code !== 0) throw new ScriptError(`"npm ci" failed (exit code ${code})`);
  }
  refuseAlteredBinaries();
  // Also when an optional package is not there: npm leaves out what this machine cannot use.
  writeFileSync(inRoot(dependencyStamp), lockHash());
}

// A compiled file whose source is gone would still be run by mocha.
function removeOrphans() {
  const compiled = filesBelow('dist', ['.js', '.js.map', '.d.ts']);
  for (const file of compiled.filter((one) => !one.startsWith('dist/bin/'))) {
    const source = file.replace(/^dist\//, '').replace(/(\.js|\.js\.map|\.d\.ts)$/, '.ts');
    if (!existsSync(inRoot(source))) rmSync(inRoot(file));
  }
}

function ensureCompiled() {
  makeFunctionTables();
  makeCommandTable();
  const sources = ['src', 'test', 'bench', 'examples'].flatMap((folder) =>
    filesBelow(folder, ['.ts']),
  );
  const settings = ['tsconfig.json', 'package.json', 'package-lock.json', 'scripts/bundle.mjs'];
  const stamp = hashFiles([...settings, ...sources]);
  if (isStamped(compileStamp, stamp)) return;
  console.log('Compiling TypeScript …');
  rmSync(inRoot(compileStamp), { force: true });
  if (runNode(['node_modules/typescript/bin/tsc', '-p', '.']) !== 0) {
    throw new ScriptError('TypeScript did not compile');
  }
  if (runNode(['scripts/bundle.mjs']) !== 0) throw new ScriptError('The program was not bundled');
  removeOrphans();
  writeFileSync(inRoot(compileStamp), stamp);
}

// The commit that is shown as what runs; a source without git has none.
function recordCommit() {
  const file = inRoot('dist/commit.txt');
  const commit = outputOf('git', ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']);
  if (commit === null) rmSync(file, { force: true });
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== commit) writeFileSync(file, commit);
}

/** Everything that `npm start` and `npm test` need. Does nothing when it is there. */
export function setup() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new ScriptError(`Node.js 20.19 or newer is needed; this is ${process.versions.node}`);
  }
  ensureDependencies();
  ensureAddon();
  ensureCompiled();
  recordCommit();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(setup);
