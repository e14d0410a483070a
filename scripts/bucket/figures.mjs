// Figures of a server on a bucket of a real Ceph of this machine. They are printed, never asserted:
//
//   npm run bench:bucket -- [lag] [acks] [cpu] [start] [away] [--rate N] [--series N]
//
// Writers, server and Ceph share the machine, so the rate that was reached is printed with each.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { ScriptError, inRoot, main } from '../project.mjs';
import { setup } from '../setup.mjs';
import { cephKeys, startCeph } from './ceph.mjs';
import { askStore } from './objects.mjs';
import { startProxy } from './proxy.mjs';
import { askServer, numberOf } from './writers.mjs';

const kBodySamples = 10_000;
const kFields = 10;
const kVariants = 4;
const kInFlight = 4;
const kFirstMs = 1_700_000_000_000;

const ofTests = (name) => import(inRoot(`dist/test/support/${name}.js`));

const quantiles = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (part) => Number((sorted[Math.floor(part * (sorted.length - 1))] ?? NaN).toFixed(4));
  return { p50: at(0.5), p99: at(0.99), most: at(1), count: sorted.length };
};

const tell = (what, figures) => console.log(`${what}: ${JSON.stringify(figures)}`);

/** Bodies of line protocol. Values hardly compress, and only the time is replaced in them. */
class Bodies {
  #bodies = [];
  #perTime;

  constructor(series) {
    this.#perTime = Math.max(1, Math.round(series / kBodySamples));
    for (let at = 0; at < this.#perTime * kVariants; at += 1) {
      this.#bodies.push(this.#made(at % this.#perTime));
    }
  }

  #made(part) {
    const pieces = [];
    const places = [];
    let size = 0;
    for (let line = 0; line < kBodySamples / kFields; line += 1) {
      const fields = Array.from({ length: kFields }, (_, i) => `f${i}=${Math.random() * 1000}`);
      const text = `m,host=h${part}-${line} ${fields.join(',')} `;
      size += text.length;
      places.push(size);
      size += 14;
      pieces.push(text, `${kFirstMs}\n`);
    }
    return { bytes: Buffer.from(pieces.join('')), places };
  }

  /** The body of that number, from 0. It is used until the next one of the same variant. */
  body(number) {
    const { bytes, places } = this.#bodies[number % this.#bodies.length];
    const time = String(kFirstMs + Math.floor(number / this.#perTime) * 1000);
    for (const place of places) bytes.write(time, place, 'latin1');
    return bytes;
  }
}

/** Sends at a steady rate until it is stopped; a server that is slower is asked without a pause. */
class Load {
  sent = 0;
  refused = 0;
  #isStopping = false;
  #next = 0;

  constructor(server, { bodies, rate, most = Infinity }) {
    this.server = server;
    this.options = { bodies, rate, most };
    this.began = performance.now();
    this.running = Promise.all(Array.from({ length: kInFlight }, () => this.#run()));
  }

  async #run() {
    const { bodies, rate, most } = this.options;
    while (!this.#isStopping && this.#next * kBodySamples < most) {
      const number = this.#next;
      this.#next += 1;
      const due = this.began + (number * kBodySamples * 1000) / rate;
      if (due > performance.now()) await sleep(due - performance.now());
      const body = Buffer.from(bodies.body(number));
      const answer = await askServer(this.server, '/write?precision=ms', { body });
      if (answer?.status === 204) this.sent += kBodySamples;
      else this.refused += 1;
      if (this.refused > 100) throw new ScriptError(`refused: ${answer?.status} ${answer?.text}`);
    }
  }

  async stop() {
    this.#isStopping = true;
    await this.running;
    return this.rate();
  }

  rate() {
    return Math.round((this.sent * 1000) / (performance.now() - this.began));
  }
}

async function metricsOf(server) {
  const { text } = await askServer(server, '/metrics', { method: 'GET' });
  const found = text.matchAll(/^seriesdb_(\w+) ([\d.e+-]+)$/gm);
  return Object.fromEntries([...found].map(([, name, value]) => [name, Number(value)]));
}

/** CPU time of the process so far, threads that ended included. */
function cpuSecondsOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function sampled(server, ms, note) {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    note(await metricsOf(server));
    await sleep(100);
  }
}

async function isShipped(server) {
  for (;;) {
    const { bucket_unshipped_bytes: left } = await metricsOf(server);
    if (left === undefined || left === 0) return;
    await sleep(50);
  }
}

class Figures {
  #made = 0;

  constructor({ ceph, servers, folder, rate, series }) {
    Object.assign(this, { ceph, servers, folder, rate, series });
  }

  newPlace() {
    this.#made += 1;
    return path.join(this.folder, `machine-${this.#made}`);
  }

  bucket(prefix, endpoint = this.ceph.urls[0]) {
    return ['--bucket', `s3://figures/${prefix}`, '--bucket-endpoint', endpoint];
  }

  start(args, dataDir = this.newPlace()) {
    const { accessKeyId, secretAccessKey } = cephKeys;
    const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    return this.servers.startServer({ dataDir, args, env });
  }

  async lag() {
    const server = await this.start(this.bucket('lag'));
    const load = new Load(server, { bodies: new Bodies(10_000), rate: this.rate });
    await sleep(5_000);
    const lags = [];
    await sampled(server, 40_000, (now) => lags.push(now.bucket_lag_seconds));
    const rate = await load.stop();
    const { bucket_groups_total: groups, bucket_shipped_bytes_total: bytes } =
      await metricsOf(server);
    const each = Number((bytes / load.sent).toFixed(2));
    tell('lag in s, default settings', { ...quantiles(lags), rate, groups, bytesEach: each });
    await server.kill();
  }

  async acks() {
    for (const group of [250, 10]) {
      const args = ['--bucket-ack', 'bucket', '--bucket-group-ms', String(group)];
      const server = await this.start([...this.bucket(`acks-${group}`), ...args]);
      const times = [];
      const end = performance.now() + 20_000;
      for (let i = 0; performance.now() < end; i += 1) {
        const body = Array.from({ length: 10 }, (_, one) => `m,host=h${one} f=${i} ${i}`);
        const began = performance.now();
        await askServer(server, '/write?precision=ms', { body: body.join('\n') });
        times.push(performance.now() - began);
      }
      tell(`acknowledgement in ms, ack = bucket, group_ms = ${group}`, quantiles(times));
      await server.kill();
    }
  }

  async #cpuOf(args) {
    const server = await this.start(['--memtable-max-bytes', '33554432', ...args]);
    const before = cpuSecondsOf(server.pid);
    const most = 4_000_000;
    const load = new Load(server, { bodies: new Bodies(10_000), rate: this.rate, most });
    await load.running;
    const rate = load.rate();
    await isShipped(server);
    await sleep(2_000);
    const seconds = ((cpuSecondsOf(server.pid) - before) * 1e6) / load.sent;
    await server.kill();
    return { seconds, rate };
  }

  /** Pairs that alternate: with a bucket, and without. */
  async cpu() {
    const pairs = [];
    for (let pair = 0; pair < 5; pair += 1) {
      const turns = [true, false];
      if (pair % 2 === 1) turns.reverse();
      const found = {};
      for (const isWith of turns) {
        const { seconds, rate } = await this.#cpuOf(isWith ? this.bucket(`cpu-${pair}`) : []);
        found[isWith ? 'with' : 'without'] = Number(seconds.toFixed(3));
        found[isWith ? 'rateWith' : 'rateWithout'] = rate;
      }
      pairs.push(found);
      tell('CPU s for a million samples', found);
    }
    const more = pairs.map((one) => (one.with / one.without - 1) * 100);
    tell('more CPU with a bucket, in %', quantiles(more));
  }

  async starts() {
    for (const series of this.series) await this.#startOf(series);
  }

  async #startOf(series) {
    const prefix = `start-${series}`;
    const first = await this.start(this.bucket(prefix));
    const most = 20_000_000;
    const load = new Load(first, { bodies: new Bodies(series), rate: this.rate, most });
    await load.running;
    const rate = load.rate();
    const { code } = await first.stop();
    if (code !== 0) throw new ScriptError(`the first server stopped with ${code}`);
    for (const end of ['stopped', 'killed']) {
      const began = performance.now();
      const server = await this.start(this.bucket(prefix));
      const listens = performance.now() - began;
      const count = await numberOf(server, `select count(value) as n from m.f0 where time >= 0`);
      const seconds = Number(((performance.now() - began) / 1000).toFixed(2));
      const { segment_bytes: bytes } = await metricsOf(server);
      const listensAfter = Number((listens / 1000).toFixed(2));
      tell(`start from nothing, ${series} series, the last owner was ${end}`, {
        ...{ seconds, listensAfter, megabytes: Math.round(bytes / 1e6) },
        ...{ samples: count * kFields, rateBefore: rate },
      });
      // The next start has a log to replay.
      const more = new Load(server, {
        bodies: new Bodies(series),
        rate: this.rate,
        most: 2_000_000,
      });
      await more.running;
      await isShipped(server);
      await server.kill();
    }
  }

  async away() {
    const { Random } = await ofTests('random');
    const proxy = await startProxy({ targets: this.ceph.urls, random: new Random(1), rules: [] });
    const server = await this.start(this.bucket('away', proxy.url));
    const rate = Math.round(this.rate / 2);
    const load = new Load(server, { bodies: new Bodies(10_000), rate });
    await sleep(10_000);
    proxy.setAway(true);
    await sleep(60_000);
    const { bucket_lag_seconds: lag, bucket_unshipped_bytes: behind } = await metricsOf(server);
    proxy.setAway(false);
    const began = performance.now();
    // As much as stands there between two groups in good weather.
    for (;;) {
      const { bucket_unshipped_bytes: left } = await metricsOf(server);
      if (left < behind / 60) break;
      await sleep(50);
    }
    const seconds = (performance.now() - began) / 1000;
    tell('away for 60 s, then caught up', {
      ...{ rate: await load.stop(), lag, megabytes: Math.round(behind / 1e6) },
      ...{ seconds: Number(seconds.toFixed(1)) },
      timesArrival: Number(((lag + seconds) / seconds).toFixed(1)),
      answersRefused: load.refused,
    });
    await server.kill();
    proxy.close();
  }
}

const sections = {
  lag: (figures) => figures.lag(),
  acks: (figures) => figures.acks(),
  cpu: (figures) => figures.cpu(),
  start: (figures) => figures.starts(),
  away: (figures) => figures.away(),
};

await main(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rate: { type: 'string', default: '500000' },
      series: { type: 'string', default: '100000' },
    },
  });
  await setup();
  const names = positionals.length === 0 ? Object.keys(sections) : positionals;
  const unknown = names.find((name) => !Object.hasOwn(sections, name));
  if (unknown !== undefined) throw new ScriptError(`no figure is called ${unknown}`);
  const servers = await ofTests('server');
  const ceph = await startCeph();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'seriesdb-figures-'));
  const series = values.series.split(',').map(Number);
  try {
    const store = { url: ceph.urls[0], keys: cephKeys };
    await askStore(store, { method: 'PUT', target: '/figures' });
    const figures = new Figures({ ceph, servers, folder, rate: Number(values.rate), series });
    for (const name of names) await sections[name](figures);
    return 0;
  } finally {
    await servers.killServers();
    ceph.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
