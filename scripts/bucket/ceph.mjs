// A real Ceph on loopback, for checks of what is kept on an object store: a monitor, a manager, one
// store in memory, and two gateways with Amazon's interface. It is ready in some 15 s.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { ScriptError, freePort, outputOf } from '../project.mjs';

const host = '127.0.0.1';
/** The keys of the only user. */
export const cephKeys = { accessKeyId: 'AK', secretAccessKey: 'SK' };

const programs = ['ceph-mon', 'ceph-mgr', 'ceph-osd', 'radosgw', 'radosgw-admin', 'monmaptool'];

function needCeph() {
  const missing = programs.filter((name) => outputOf(name, ['--version']) === null);
  if (missing.length === 0) return;
  throw new ScriptError(
    `${missing.join(', ')} missing; on Debian: apt-get install -y --no-install-recommends ` +
      'radosgw ceph-mon ceph-osd ceph-mgr ceph-common',
  );
}

function settings({ folder, id, monitor, ports }) {
  const gateways = ports.map((port, at) => [
    `[client.rgw${at + 1}]`,
    // Else small answers wait for delayed acknowledgements.
    `rgw frontends = beast endpoint=${host}:${port} tcp_nodelay=1`,
    `rgw data = ${folder}/rgw`,
    'rgw thread pool size = 16',
    'rgw dynamic resharding = false',
    `admin socket = ${folder}/run/rgw${at + 1}.asok`,
  ]);
  return [
    '[global]',
    `fsid = ${id}`,
    `mon host = [v1:${host}:${monitor}]`,
    'mon initial members = a',
    `public addr = ${host}`,
    `cluster addr = ${host}`,
    ...['cluster', 'service', 'client'].map((name) => `auth ${name} required = none`),
    ...['size', 'min size'].map((name) => `osd pool default ${name} = 1`),
    ...['pg num', 'pgp num'].map((name) => `osd pool default ${name} = 4`),
    'osd pool default pg autoscale mode = off',
    'mon max pg per osd = 1000',
    'mon allow pool size one = true',
    'mon data avail warn = 5',
    'osd crush chooseleaf type = 0',
    'osd objectstore = memstore',
    'memstore device bytes = 2147483648',
    'ms bind ipv6 = false',
    `log file = ${folder}/log/$name.log`,
    `admin socket = ${folder}/run/$name.asok`,
    `pid file = ${folder}/run/$name.pid`,
    `keyring = ${folder}/keyring`,
    `run dir = ${folder}/run`,
    ...['osd', 'mon', 'mgr'].map((name) => `${name} data = ${folder}/${name}`),
    ...gateways.flat(),
    '',
  ].join('\n');
}

function call(folder, command, ...args) {
  const env = { ...process.env, CEPH_CONF: path.join(folder, 'ceph.conf') };
  const done = spawnSync(command, args, { env, encoding: 'utf8', timeout: 120_000 });
  if (done.status === 0) return done.stdout.trim();
  throw new ScriptError(`${command} ${args.join(' ')}: ${done.stderr || done.error}`);
}

/** A store that starts before it knows the monitor's map is refused: "wrong fsid". */
async function callAgain(folder, ...args) {
  for (let tries = 1; ; tries += 1) {
    try {
      return call(folder, ...args);
    } catch (error) {
      if (tries === 10) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

async function answers(url) {
  for (let tries = 0; tries < 240; tries += 1) {
    const answer = await fetch(url).catch(() => null);
    if (answer !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new ScriptError(`the gateway at ${url} does not answer`);
}

/** Each process writes its number; a gateway that is killed writes no more. */
function stop(folder) {
  const files = readdirSync(path.join(folder, 'run')).filter((name) => name.endsWith('.pid'));
  for (const file of files) {
    try {
      process.kill(Number(readFileSync(path.join(folder, 'run', file), 'utf8')), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  rmSync(folder, { recursive: true, force: true });
}

async function start(folder) {
  const [monitor, ...ports] = await Promise.all([freePort(), freePort(), freePort()]);
  const id = randomUUID();
  for (const name of ['mon', 'mgr', 'osd', 'run', 'log', 'rgw']) {
    mkdirSync(path.join(folder, name));
  }
  const config = path.join(folder, 'ceph.conf');
  writeFileSync(config, settings({ folder, id, monitor, ports }));
  writeFileSync(path.join(folder, 'keyring'), '');
  const run = (...args) => call(folder, ...args);
  const map = path.join(folder, 'monmap');
  run('monmaptool', '--create', '--fsid', id, '--addv', 'a', `[v1:${host}:${monitor}]`, map);
  run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '-c', config);
  run('ceph-mon', '-i', 'a', '-c', config);
  run('ceph-mgr', '-i', 'x', '-c', config);
  const store = randomUUID();
  const number = run('ceph', 'osd', 'new', store);
  run('ceph-osd', '-i', number, '--mkfs', '--osd-uuid', store, '-c', config);
  await callAgain(folder, 'ceph-osd', '-i', number, '-c', config);
  run('ceph', 'osd', 'crush', 'add', `osd.${number}`, '1.0', 'host=h', 'root=default');
  const urls = ports.map((port) => `http://${host}:${port}`);
  // The second finds the pools that the first has made.
  for (const [at, url] of urls.entries()) {
    run('radosgw', '-n', `client.rgw${at + 1}`, '-c', config);
    await answers(url);
  }
  const { accessKeyId, secretAccessKey } = cephKeys;
  const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`];
  const user = ['user', 'create', '--uid=t', '--display-name=t', ...keys];
  run('radosgw-admin', '-n', 'client.rgw1', '-c', config, ...user);
  return urls;
}

/** Returns the addresses of both gateways, and a function that ends and removes all of it. */
export async function startCeph() {
  needCeph();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'seriesdb-ceph-'));
  try {
    const urls = await start(folder);
    return { urls, stop: () => stop(folder) };
  } catch (error) {
    stop(folder);
    throw error;
  }
}
