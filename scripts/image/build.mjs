// `npm run image [-- --output FOLDER]`: writes a container image as an OCI image layout, without a
// daemon: one layer with Node.js 24, the program, and the C libraries of this machine that they
// need. With `--as-built`, for tests, it compiles and fetches nothing, and includes the Node.js
// that runs this script.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

import { packedNode, placeLicences, placeNode, placeRuntime, runtimeHome } from '../deb/tree.mjs';
import { ScriptError, epoch, inRoot, main, outputOf, readText } from '../project.mjs';
import { installPackedNode } from '../setup/node-versions.mjs';
import { setup } from '../setup.mjs';

/** The user of the server; a volume of it belongs to this number. */
const user = 10001;
const program = `/${runtimeHome}/dist/bin/seriesdb.js`;
const dataDir = '/var/lib/seriesdb';

/** What the dynamic linker loads for a program, with itself: paths on this machine. */
function librariesOf(file) {
  const told = outputOf('ldd', [file]);
  if (told === null) throw new ScriptError(`ldd does not know ${file}`);
  return [...told.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, library]) => library);
}

function placeLibraries(stage) {
  for (const library of librariesOf(path.join(stage, packedNode))) {
    const placed = path.join(stage, library);
    mkdirSync(path.dirname(placed), { recursive: true });
    copyFileSync(realpathSync(library), placed);
    chmodSync(placed, 0o755);
  }
}

function placeSystem(stage) {
  const put = (name, text) => {
    mkdirSync(path.dirname(path.join(stage, name)), { recursive: true });
    writeFileSync(path.join(stage, name), text, { mode: 0o644 });
  };
  put('etc/passwd', `root:x:0:0::/root:\nseriesdb:x:${user}:${user}::${dataDir}:\n`);
  put('etc/group', `root:x:0:\nseriesdb:x:${user}:\n`);
  mkdirSync(path.join(stage, 'tmp'));
  chmodSync(path.join(stage, 'tmp'), 0o1777);
}

/**
 * V8 compiles the program once, for all starts of the image. Returns the flags of a server, which
 * depend on the version of Node.js.
 */
function compileAhead(stage) {
  const node = path.join(stage, packedNode);
  const flags = outputOf(node, [inRoot('scripts/setup/v8-flags.mjs')])?.split(' ') ?? [];
  const script = path.join(stage, runtimeHome, 'dist/bin/compile-ahead.js');
  for (const given of [[], flags]) {
    const { status } = spawnSync(node, [...given, script], { env: {}, timeout: 60_000 });
    if (status !== 0) throw new ScriptError('the program of the image was not compiled ahead');
  }
  return flags;
}

/** The tree as one archive of the format of layers. Two calls, since owners differ. */
function tarOf(stage, seconds) {
  const volume = path.join(stage, dataDir);
  mkdirSync(volume, { recursive: true });
  chmodSync(volume, 0o700);
  const own = dataDir.slice(1);
  const common = ['--format=gnu', '--sort=name', `--mtime=@${seconds}`, '--numeric-owner'];
  const call = (args) => {
    const done = spawnSync('tar', [...common, ...args], { cwd: stage, maxBuffer: 1 << 30 });
    if (done.status !== 0) throw new ScriptError(`tar failed: ${String(done.stderr)}`);
    return done.stdout;
  };
  const file = path.join(stage, '..', 'layer.tar');
  call(['--owner=0', '--group=0', '--mode=go-w', `--exclude=./${own}`, '-cf', file, '.']);
  call([`--owner=${user}`, `--group=${user}`, '-rf', file, `./${own}`]);
  return file;
}

const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Writes one content of the layout. Returns how others refer to it. */
function putBlob(output, mediaType, bytes) {
  const hash = hashOf(bytes);
  writeFileSync(path.join(output, 'blobs/sha256', hash), bytes);
  return { mediaType, digest: `sha256:${hash}`, size: bytes.length };
}

function configOf({ created, version, diffId, flags }) {
  return {
    created,
    architecture: 'amd64',
    os: 'linux',
    config: {
      User: `${user}:${user}`,
      ExposedPorts: { '8080/tcp': {} },
      Env: [
        'PATH=/usr/bin',
        'NODE_ENV=production',
        'SERIESDB_LISTEN=0.0.0.0:8080',
        `SERIESDB_DATA_DIR=${dataDir}/data`,
      ],
      Entrypoint: [`/${packedNode}`, ...flags, program],
      Cmd: ['serve'],
      Volumes: { [dataDir]: {} },
      WorkingDir: dataDir,
      StopSignal: 'SIGTERM',
      Labels: {
        'org.opencontainers.image.title': 'seriesdb',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'MIT',
      },
    },
    rootfs: { type: 'layers', diff_ids: [diffId] },
    history: [{ created, created_by: 'npm run image' }],
  };
}

function writeLayout(output, { layer, seconds, flags, isFast }) {
  const { version } = JSON.parse(readText('package.json'));
  const created = new Date(Number(seconds) * 1000).toISOString();
  rmSync(output, { recursive: true, force: true });
  mkdirSync(path.join(output, 'blobs/sha256'), { recursive: true });
  const json = (value) => Buffer.from(JSON.stringify(value));
  const oci = (kind) => `application/vnd.oci.image.${kind}`;
  const packed = gzipSync(layer, { level: isFast ? 1 : 9 });
  const diffId = `sha256:${hashOf(layer)}`;
  const config = configOf({ created, version, diffId, flags });
  const manifest = {
    schemaVersion: 2,
    mediaType: oci('manifest.v1+json'),
    config: putBlob(output, oci('config.v1+json'), json(config)),
    layers: [putBlob(output, oci('layer.v1.tar+gzip'), packed)],
  };
  const told = putBlob(output, oci('manifest.v1+json'), json(manifest));
  const annotations = { 'org.opencontainers.image.ref.name': version };
  const index = { schemaVersion: 2, mediaType: oci('index.v1+json') };
  const platform = { architecture: 'amd64', os: 'linux' };
  writeFileSync(
    path.join(output, 'index.json'),
    json({ ...index, manifests: [{ ...told, platform, annotations }] }),
  );
  writeFileSync(path.join(output, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  return packed.length;
}

const options = {
  output: { type: 'string', default: inRoot('build/image') },
  'as-built': { type: 'boolean', default: false },
};

await main(async () => {
  const { values } = parseArgs({ options });
  const isAsBuilt = values['as-built'];
  if (`${process.platform}-${process.arch}` !== 'linux-x64') {
    throw new ScriptError('an image is made on linux-x64 only');
  }
  if (!isAsBuilt) await setup();
  const seconds = epoch();
  const node = installPackedNode({ isAsBuilt });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'seriesdb-image-'));
  try {
    const stage = path.join(folder, 'stage');
    placeRuntime(stage, []);
    placeLicences(stage, node.licence);
    placeNode(stage, node.file);
    placeLibraries(stage);
    placeSystem(stage);
    const flags = compileAhead(stage);
    const layer = readFileSync(tarOf(stage, seconds));
    const output = path.resolve(values.output);
    const size = writeLayout(output, { layer, seconds, flags, isFast: isAsBuilt });
    console.log(
      `${output}: ${(size / 1e6).toFixed(1)} MB, Node.js ${outputOf(node.file, ['--version'])}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
