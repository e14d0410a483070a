// Real servers whose database has its home in a bucket, killed again and again behind a store that
// fails: is each acknowledged sample there once, and nothing else? `npm run check:bucket` runs it
// for a minute on a real Ceph. Without Ceph:
//
//   node scripts/bucket/homes.mjs [--kills N | --seconds N] [--seed N] [--life-ms N] [--ceph]
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { inRoot, main, runCollected } from '../project.mjs';
import { setup } from '../setup.mjs';
import { cephKeys, startCeph } from './ceph.mjs';
import { askStore, examineObjects } from './objects.mjs';
import { startProxy } from './proxy.mjs';
import { Writer, askServer } from './writers.mjs';

const kWriters = 4;
const kShelfMost = 6;
/** Of the problems. */
const kToldMost = 20;
/** A start that is refused for these reasons asks for another directory. */
const refusals = [/was to fill .* which another copy/, /used without .* which has a state/];

/** A socket cannot be copied. */
const isCopied = (file) => path.basename(file) !== 'SOCKET';
const ofTests = (name) => import(inRoot(`dist/test/support/${name}.js`));
const thrown = (error) => (error instanceof Error ? error.stack : String(error));
const quantile = (numbers, part) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(part * (numbers.length - 1))] ?? NaN;

class Homes {
  kills = 0;
  rounds = 0;
  counts = {};
  startMs = [];
  problems = [];
  #live = [];
  #shelf = [];
  #place = null;
  #made = 0;
  #options;

  constructor(options, { servers, random, folder }) {
    this.#options = options;
    this.startServer = servers.startServer;
    this.killDuringStart = servers.killDuringStart;
    this.random = random;
    this.folder = folder;
  }

  #count(what) {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  complain(problem) {
    this.problems.push(problem);
    if (this.problems.length > kToldMost) return;
    console.log(`FAIL round ${this.rounds}: ${problem}`);
  }

  #newPlace() {
    this.#made += 1;
    return path.join(this.folder, `machine-${this.#made}`);
  }

  /** The command line and environment of one server. */
  #server(dataDir, extra = []) {
    const { store, proxy } = this.#options;
    const below = (limit) => this.random.below(limit);
    const pick = (choices) => this.random.pick(choices);
    const args = {
      '--bucket': `s3://${store.bucket}/${store.prefix}`,
      '--bucket-endpoint': proxy.url,
      '--bucket-ack': 'bucket',
      '--bucket-group-ms': String(10 + below(40)),
      '--bucket-publish-ms': String(100 + below(600)),
      '--memtable-max-bytes': String(65_536 << below(4)),
      '--flush-interval-ms': pick(['0', '200', '500', '1000']),
      '--history-keep-ms': pick(['0', '500', '3600000']),
      '--compaction-factor': pick(['2', '3', '8']),
    };
    const { accessKeyId, secretAccessKey } = store.keys;
    const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    const none = ['PROFILE', 'SESSION_TOKEN', 'REGION', 'ENDPOINT_URL', 'ENDPOINT_URL_S3'];
    const env = { ...Object.fromEntries(none.map((name) => [`AWS_${name}`, ''])), ...keys };
    return { dataDir, args: [...Object.entries(args).flat(), ...extra], env };
  }

  /** Null: the directory cannot be used, as the server says. */
  async start(dataDir, extra) {
    for (let tries = 1; ; tries += 1) {
      const began = performance.now();
      try {
        const server = await this.startServer(this.#server(dataDir, extra));
        this.startMs.push(performance.now() - began);
        void server.exit.then(({ code, signal, output }) => {
          if (server.isMeant) return;
          this.complain(`a server ended with ${code ?? signal}: ${output}`);
        });
        server.dataDir = dataDir;
        return server;
      } catch (error) {
        if (refusals.some((one) => one.test(error.message))) {
          this.#count('refused');
          return null;
        }
        if (tries === 3) throw error;
        this.#count('failedStarts');
        console.log(`a start failed: ${error.message}`);
      }
    }
  }

  async #kill(server) {
    server.isMeant = true;
    await server.kill();
    this.kills += 1;
    if (server.isFenced) this.#count('fenced');
    for (const word of ['quarantine', 'aside']) {
      if (server.printed().includes(word)) return this.#count('setAside');
    }
  }

  /** The directory of the next server. */
  #choose() {
    const turn = this.random.below(10);
    if (turn < 4 && this.#place !== null) return this.#place;
    if (turn < 7 && this.#shelf.length > 0) {
      this.#count('oldCopies');
      return this.#shelf.splice(this.random.below(this.#shelf.length), 1)[0];
    }
    this.#count('emptyDirectories');
    return this.#newPlace();
  }

  /** Keeps the directory, or a copy of it, or neither. */
  #leave(place) {
    const turn = this.random.below(10);
    if (turn < 3) {
      rmSync(place, { recursive: true, force: true });
      if (this.#place === place) this.#place = null;
      return;
    }
    this.#place = place;
    if (turn < 6 || this.#shelf.length >= kShelfMost) return;
    const copy = this.#newPlace();
    if (existsSync(place)) cpSync(place, copy, { recursive: true, filter: isCopied });
    this.#shelf.push(copy);
  }

  async #startSome() {
    for (;;) {
      const place = this.#choose();
      if (this.random.chance(0.1)) {
        await this.killDuringStart(this.#server(place), this.random.below(900));
        this.kills += 1;
        this.#count('killedStarts');
      }
      const server = await this.start(place);
      if (server !== null) return server;
      rmSync(place, { recursive: true, force: true });
      if (this.#place === place) this.#place = null;
    }
  }

  /** Those that writers may ask, the last one most likely. */
  servers() {
    return this.#live;
  }

  async look(server) {
    for (const writer of this.#options.writers) {
      for (const problem of await writer.look(server)) this.complain(problem);
    }
  }

  async round() {
    this.rounds += 1;
    const server = await this.#startSome();
    await this.look(server);
    this.#live = [server];
    await sleep(this.random.below(this.#options.lifeMs));
    if (this.random.chance(0.25)) await this.#takeOver(server);
    const ends = this.#live;
    this.#live = [];
    for (const one of ends) {
      if (!one.isMeant) await this.#kill(one);
      this.#leave(one.dataDir);
    }
  }

  /** A second server beside the first one, which may be frozen meanwhile. */
  async #takeOver(first) {
    const isFrozen = this.random.chance(0.5);
    if (isFrozen) process.kill(first.pid, 'SIGSTOP');
    const place = this.#shelf.length > 0 && this.random.chance(0.5) ? this.#shelf.pop() : null;
    const second = await this.start(place ?? this.#newPlace());
    if (second !== null) {
      this.#count('takeOvers');
      await this.look(second);
      this.#live = [first, second];
    }
    if (isFrozen) process.kill(first.pid, 'SIGCONT');
    // The first one notices it at its next group or publication.
    for (let i = 0; i < 40 && second !== null && !first.isFenced; i += 1) await sleep(50);
    if (second !== null && !first.isFenced) this.complain('a server was not fenced');
    await sleep(this.random.below(this.#options.lifeMs / 2));
  }

  /** A server that has nothing but the bucket, and all that it should have. */
  async examine() {
    const place = this.#newPlace();
    const admin = ['--admin-enabled', 'true', '--admin-listen', '127.0.0.1:0'];
    const server = await this.start(place, [...admin, '--history-keep-ms', '0']);
    const found = await Promise.all(this.#options.writers.map((one) => one.check(server)));
    for (const problem of found.flat()) this.complain(problem);
    return { server, place };
  }

  /** The next publication removes what nothing names. */
  async settle({ server, place }) {
    const body = '{"metric":"end","labels":{},"ts":0,"value":1}';
    await askServer(server, '/api/v1/ingest', { body });
    await askServer({ url: `http://127.0.0.1:${server.adminPort}` }, '/__admin/flush');
    let last = null;
    for (let i = 0; i < 100; i += 1) {
      last = await examineObjects(this.#options.store, place);
      if (last.problems.length === 0) break;
      await sleep(200);
    }
    for (const problem of last.problems.slice(0, 20)) this.complain(problem);
    return last;
  }
}

async function verified({ store, proxy }) {
  const { accessKeyId, secretAccessKey } = store.keys;
  process.env.AWS_ACCESS_KEY_ID = accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey;
  const args = ['verify', `s3://${store.bucket}/${store.prefix}`, '--endpoint', proxy.url];
  return runCollected([inRoot('dist/bin/seriesdb.js'), ...args]);
}

async function atTheEnd(homes, { proxy, writers, store }) {
  await proxy.idle();
  proxy.setCalm(true);
  const first = await homes.examine();
  const objects = await homes.settle(first);
  first.server.isMeant = true;
  await first.server.kill();
  const { code, text } = await verified({ store, proxy });
  if (code !== 0) homes.complain(`verify ended with ${code}: ${text}`);
  const second = await homes.examine();
  second.server.isMeant = true;
  const { code: stopped, output } = await second.server.stop();
  if (stopped !== 0) homes.complain(`a server stopped with ${stopped}: ${output}`);
  const total = (name) => writers.reduce((sum, one) => sum + one[name], 0);
  return {
    ...{ rounds: homes.rounds, kills: homes.kills, ...homes.counts },
    acknowledged: total('acknowledged'),
    ...{ sentAgain: total('sentAgain'), deletions: total('deletions') },
    ...{ entries: objects.entry.number, objects: objects.objects, ofProbes: objects.probes },
    startMs: [0.5, 0.99].map((part) => Math.round(quantile(homes.startMs, part))),
    faults: proxy.told(),
    lost: homes.problems.length,
  };
}

/**
 * Runs rounds until there were so many kills, or for so long. `store`: `urls`, `bucket`, `prefix`
 * and `keys`. Resolves with the problems and with what to print.
 */
export async function runHomes({
  store,
  seed,
  kills = Infinity,
  seconds = Infinity,
  lifeMs = 1200,
}) {
  const [servers, { Random }] = await Promise.all([ofTests('server'), ofTests('random')]);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'seriesdb-homes-'));
  const proxy = await startProxy({ targets: store.urls, random: new Random(seed + 1) });
  const options = { store: { ...store, url: store.urls[0] }, proxy, lifeMs, writers: [] };
  const homes = new Homes(options, { servers, random: new Random(seed), folder });
  for (let at = 0; at < kWriters; at += 1) {
    const random = new Random(seed + 2 + at);
    const complain = (problem) => homes.complain(problem);
    options.writers.push(
      new Writer({ metric: `w${at}`, random, servers: () => homes.servers(), complain }),
    );
  }
  try {
    const running = options.writers.map((one) => one.run());
    const end = performance.now() + seconds * 1000;
    let told = performance.now();
    while (homes.kills < kills && performance.now() < end && homes.problems.length === 0) {
      await homes.round();
      if (performance.now() - told < 30_000) continue;
      told = performance.now();
      console.log(JSON.stringify({ rounds: homes.rounds, kills: homes.kills, ...homes.counts }));
    }
    for (const one of options.writers) one.stop();
    await Promise.all(running);
    const figures = await atTheEnd(homes, options);
    return { problems: homes.problems, figures };
  } catch (error) {
    homes.complain(thrown(error));
    return { problems: homes.problems, figures: {} };
  } finally {
    for (const one of options.writers) one.stop();
    await servers.killServers();
    proxy.close();
    if (homes.problems.length === 0) rmSync(folder, { recursive: true, force: true });
    else console.log(`the directories stay in ${folder}`);
  }
}

async function storeOf(isCeph) {
  if (isCeph) {
    const ceph = await startCeph();
    const store = { urls: ceph.urls, keys: cephKeys, bucket: 'homes', prefix: 'db' };
    await askStore({ ...store, url: store.urls[0] }, { method: 'PUT', target: '/homes' });
    return { ...store, stop: ceph.stop };
  }
  const { startObjectStore, keys, bucketName } = await ofTests('object-store');
  const fake = await startObjectStore({ pageMost: 1000 });
  return { urls: [fake.url], keys, bucket: bucketName, prefix: 'db', stop: () => fake.close() };
}

async function run() {
  const { values } = parseArgs({
    options: {
      ...{ kills: { type: 'string' }, seconds: { type: 'string' }, seed: { type: 'string' } },
      'life-ms': { type: 'string', default: '1200' },
      ceph: { type: 'boolean', default: false },
    },
  });
  await setup();
  const seed = Number(values.seed ?? Date.now() % 2 ** 31);
  const seconds = Number(values.seconds ?? (values.kills === undefined ? 60 : Infinity));
  const store = await storeOf(values.ceph);
  console.log(`seed ${seed}`);
  try {
    const kills = Number(values.kills ?? Infinity);
    const lifeMs = Number(values['life-ms']);
    const { problems, figures } = await runHomes({ store, seed, kills, seconds, lifeMs });
    console.log(JSON.stringify(figures, null, 1));
    return problems.length === 0 ? 0 : 1;
  } finally {
    store.stop();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(run);
