// `npm run executable [-- --output FOLDER]`: makes one file, `seriesdb`, of Node.js 24, the program,
// its addon, packages and page. It runs without npm and without a compiler. With `--as-built`, for
// tests, it compiles nothing, and has the Node.js that runs this script.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

import { placeLicences, placeRuntime, runtimeHome } from '../deb/tree.mjs';
import { ScriptError, filesIn, inRoot, main, outputOf, run } from '../project.mjs';
import { installPackedNode } from '../setup/node-versions.mjs';
import { installPinned } from '../setup/pinned-packages.mjs';
import { setup } from '../setup.mjs';

/** Puts the asset into a copy of Node.js. */
const postject = [
  {
    name: 'postject',
    version: '1.0.0-alpha.6',
    integrity:
      'sha512-b9Eb8h2eVqNE8edvKdwqkrY6O7kAwmI8kcnBv1NScolYJbo59XUF0noFq+lxbC1yN20bmC0WBEbDC5H/7ASb0A==',
  },
  {
    name: 'commander',
    version: '9.5.0',
    integrity:
      'sha512-KRs7WVDKg86PWiuAqhDrAQnTXZKraVcCc6vFdL14qrZ/DcWwuRo7VoiYXalXO7S5GKpqYiVEwCbgFDfxNHKJBQ==',
  },
];

/** Node.js looks for its asset if this text in it ends in 1 instead of 0. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The program's files as one, and their list. */
function writeAssets(folder, licence) {
  const stage = path.join(folder, 'stage');
  placeRuntime(stage, []);
  placeLicences(stage, licence);
  const home = path.join(stage, runtimeHome);
  const names = filesIn(home);
  const all = names.map((name) => readFileSync(path.join(home, name)));
  const bytes = Buffer.concat(all);
  const list = JSON.stringify(names.map((name, at) => ({ name, size: all[at].length })));
  const hash = createHash('sha256').update(list).update(bytes).digest('hex').slice(0, 32);
  const put = (name, data) => {
    const file = path.join(folder, name);
    writeFileSync(file, data);
    return file;
  };
  return {
    files: put('files', gzipSync(bytes, { level: 9 })),
    list: put('list', list),
    hash: put('hash', hash),
  };
}

function needSuccess(what, code) {
  if (code !== 0) throw new ScriptError(`${what} ended with ${code}`);
}

function makeExecutable(folder, file, { file: node, licence }) {
  const config = {
    main: inRoot('scripts/executable/main.cjs'),
    output: path.join(folder, 'blob'),
    disableExperimentalSEAWarning: true,
    assets: writeAssets(folder, licence),
  };
  const configFile = path.join(folder, 'config.json');
  writeFileSync(configFile, JSON.stringify(config));
  const told = outputOf(node, ['--experimental-sea-config', configFile]);
  if (told === null) throw new ScriptError('Node.js made no asset for an executable');
  rmSync(file, { force: true });
  copyFileSync(node, file);
  chmodSync(file, 0o755);
  needSuccess('strip', run('strip', ['--strip-unneeded', file]));
  const tools = inRoot('build/postject');
  installPinned(tools, postject);
  const tool = path.join(tools, 'node_modules/postject/dist/cli.js');
  const args = [tool, file, 'NODE_SEA_BLOB', config.output, '--sentinel-fuse', fuse];
  needSuccess('postject', run(process.execPath, args));
}

const options = {
  output: { type: 'string', default: inRoot('build/executable') },
  'as-built': { type: 'boolean', default: false },
};

await main(async () => {
  const { values } = parseArgs({ options });
  const isAsBuilt = values['as-built'];
  if (!isAsBuilt) await setup();
  const node = installPackedNode({ isAsBuilt });
  const output = path.resolve(values.output);
  mkdirSync(output, { recursive: true });
  const file = path.join(output, 'seriesdb');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'seriesdb-executable-'));
  try {
    makeExecutable(folder, file, node);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(
    `${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB, Node.js ${outputOf(node.file, ['--version'])}`,
  );
});
