// `npm run check:nodes [-- MAJOR …]`: runs the smoke tests on every supported version of Node.js,
// with the same addon. The versions come from the npm registry into build/nodes, by exact version
// and hash; the package itself does not depend on them. The last line is "N passed, N failed".
import path from 'node:path';

import { nodePackage, nodes } from './setup/node-versions.mjs';
import { installPinned, lockedBinaries } from './setup/pinned-packages.mjs';
import { ScriptError, inRoot, main, outputOf } from './project.mjs';
import { runMocha } from './run-tests.mjs';
import { setup } from './setup.mjs';
import { alteredBinaries } from './uws-binaries.mjs';

function needThisPlatform() {
  const { glibcVersionRuntime } = process.report.getReport().header;
  const here = `${process.platform}-${process.arch}`;
  if (here === 'linux-x64' && glibcVersionRuntime !== undefined) return;
  const libc = glibcVersionRuntime === undefined ? ' without glibc' : '';
  throw new ScriptError(
    `the smoke part runs on other versions of Node.js only on linux-x64 with glibc; this is ${here}${libc}`,
  );
}

/** Node.js, and the uWebSockets.js binary that an installation with this version would have. */
const packagesFor = (major) => [
  { name: nodePackage, ...nodes[major] },
  ...lockedBinaries().filter(({ name }) => name === `@uwsjs/linux-x64-${major}`),
];

/** Runs the smoke tests with one version. */
function smoke(major) {
  const folder = inRoot('build', 'nodes', major);
  installPinned(folder, packagesFor(major));
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
  // NODE_PATH leads the program to the uWebSockets.js binary of this Node.js.
  return runMocha('test/smoke/', { NODE_PATH: modules }, node);
}

// If a version cannot be installed, that is one failure, and the others still run.
function attempt(major) {
  try {
    const { passed, failed, skipped } = smoke(major);
    // A run without tests or with skipped tests counts as failed.
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
