/** The image of `npm run image`, read as the OCI image layout says, serves from its files alone. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { assert } from 'chai';

import { heardAddress } from '../support/heard-address.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

interface ImageConfig {
  readonly architecture: string;
  readonly os: string;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly Volumes: Readonly<Record<string, object>>;
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

const digestOf = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

if (process.platform === 'linux' && process.arch === 'x64') {
  describe('the container image', function () {
    this.timeout(120_000);
    let folder = '';
    let layout = '';
    let config: ImageConfig;
    let layer: Buffer;

    /** The bytes of a content, which have to be as they are told. */
    function read({ digest, size }: Descriptor): Buffer {
      const bytes = readFileSync(path.join(layout, 'blobs', digest.replace(':', '/')));
      assert.deepEqual([digestOf(bytes), bytes.length], [digest, size]);
      return bytes;
    }
    const json = (bytes: Buffer): unknown => JSON.parse(bytes.toString());

    before(() => {
      folder = temporaryDirectory();
      layout = path.join(folder, 'layout');
      const script = path.join(root, 'scripts/image/build.mjs');
      execFileSync(process.execPath, [script, '--as-built', '--output', layout], {
        stdio: 'ignore',
      });
      const index = json(readFileSync(path.join(layout, 'index.json'))) as {
        readonly manifests: readonly Descriptor[];
      };
      const [first] = index.manifests;
      assert.isDefined(first);
      const manifest = json(read(first)) as Manifest;
      config = json(read(manifest.config)) as ImageConfig;
      const [packed] = manifest.layers;
      assert.isDefined(packed);
      layer = gunzipSync(read(packed));
    });
    after(() => {
      removeDirectory(folder);
    });

    it('is whole, and nothing else is in its layout', () => {
      const version = json(readFileSync(path.join(layout, 'oci-layout')));
      assert.deepEqual(version, { imageLayoutVersion: '1.0.0' });
      assert.deepEqual(config.rootfs.diff_ids, [digestOf(layer)]);
      assert.deepEqual([config.os, config.architecture], ['linux', 'amd64']);
      assert.strictEqual(readdirSync(path.join(layout, 'blobs/sha256')).length, 3);
    });

    it('belongs to root, but for the directory of its data, and does not run as root', () => {
      const list = spawnSync('tar', ['--numeric-owner', '-tvf', '-'], { input: layer });
      const rows = list.stdout.toString().trim().split('\n');
      const owners = rows
        .map((row) => row.split(/\s+/))
        .map(([, owner, , , , name]) => [owner, name]);
      const foreign = owners.filter(([owner]) => owner !== '0/0');
      assert.deepEqual(foreign, [['10001/10001', './var/lib/seriesdb/']]);
      assert.strictEqual(config.config.User, '10001:10001');
      assert.deepEqual(Object.keys(config.config.Volumes), ['/var/lib/seriesdb']);
    });

    // Only root may enter another root.
    if (process.getuid?.() === 0) {
      it('serves as its user, keeps what it acknowledged, and has the command line', async () => {
        const inside = path.join(folder, 'root');
        mkdirSync(inside);
        spawnSync('tar', ['--numeric-owner', '-xf', '-', '-C', inside], { input: layer });
        const { User, Env, Entrypoint, Cmd } = config.config;
        const given = Object.fromEntries(Env.map((one) => one.split('=', 2) as [string, string]));
        const env = { ...given, SERIESDB_LISTEN: '127.0.0.1:0', PATH: process.env['PATH'] };
        const entered = [`--userspec=${User}`, inside];
        const serve = async (): Promise<{ url: string; kill: () => Promise<void> }> => {
          const child = spawn('chroot', [...entered, ...Entrypoint, ...Cmd], {
            env,
            stdio: ['ignore', 'pipe', 'ignore'],
          });
          const ended = once(child, 'exit');
          const url = await heardAddress(child);
          const kill = async (): Promise<void> => {
            child.kill('SIGKILL');
            await ended;
          };
          return { url, kill };
        };
        let server = await serve();
        try {
          const body = '{"metric":"m","ts":1,"value":2.5}\n';
          const stored = await fetch(`${server.url}/api/v1/ingest`, { method: 'POST', body });
          assert.deepEqual(await stored.json(), { ingested: 1 });
          await server.kill();
          server = await serve();
          const statement = 'select value from m where time >= 0';
          const asked = ['query', '--url', server.url, '--format', 'csv', statement];
          const call = [...entered, '/usr/bin/seriesdb', ...asked];
          const done = spawnSync('chroot', call, { encoding: 'utf8' });
          assert.include(done.stdout, '2.5', done.stderr);
        } finally {
          await server.kill();
        }
      });
    }
  });
}
