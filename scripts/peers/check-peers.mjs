// `npm run check:peers`: unmodified third-party clients write to our server, which is killed
// meanwhile. Afterwards every sample that they had must be stored. A second Prometheus without
// samples must compute the same by remote_read. Our streamed chunks must equal the bytes that the
// first Prometheus streams. Then PromQL: promql-checks.mjs.
//
// Needs `prometheus` (3.5 for PromQL), `promtool`, `vmagent` and `vmalert` on the path (Debian:
// apt-get install prometheus victoria-metrics). It fails if one is missing. A Prometheus 3 also
// writes version 2.0. A word, as in `npm run check:peers -- vmalert`, selects checks by name. The
// last line is "N passed, N failed".
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { ScriptError, freePort, inRoot, main, outputOf } from '../project.mjs';
import { setup } from '../setup.mjs';
import { end, endAll, start, startServer, untilReady } from './processes.mjs';
import { promqlChecks } from './promql-checks.mjs';

const seriesCount = 200;
const scrapeMs = 200;
const runMs = 6_000;

const prometheus = (options) => ({
  name: 'prometheus',
  versionFlag: '--version',
  // Its own storage tells the expected samples.
  start: (folder, { target, config, port }) => [
    `--config.file=${config({ remote_write: [{ url: target, ...options }] })}`,
    `--storage.tsdb.path=${path.join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ],
});

const peers = [
  prometheus({}),
  {
    name: 'vmagent',
    versionFlag: '-version',
    start: (folder, { target, config, port }) => [
      `-promscrape.config=${config({})}`,
      `-remoteWrite.url=${target}`,
      `-remoteWrite.tmpDataPath=${path.join(folder, 'queue')}`,
      `-remoteWrite.flushInterval=500ms`,
      `-httpListenAddr=127.0.0.1:${port}`,
    ],
  },
];

await main(async () => {
  const tools = [
    { name: 'promtool', versionFlag: '--version' },
    { name: 'vmalert', versionFlag: '-version' },
  ];
  for (const { name, versionFlag } of [...peers, ...tools]) {
    const version = outputOf(name, [versionFlag]);
    if (version === null) {
      throw new ScriptError(
        `there is no ${name}; on Debian: apt-get install -y prometheus victoria-metrics`,
      );
    }
    console.log(`  with ${version.split('\n')[0] || name}`);
  }
  if (/version [3-9]/.test(outputOf('prometheus', ['--version']))) {
    peers.push({
      ...prometheus({ protobuf_message: 'io.prometheus.write.v2.Request' }),
      note: ' 2.0',
    });
  }
  await setup();
  const writers = peers.map((peer) => ({
    name: `${peer.name} writes${peer.note ?? ''} through a kill -9`,
    run: () => check(peer),
  }));
  const word = process.argv[2] ?? '';
  const chosen = [...writers, ...promqlChecks].filter(({ name }) => name.includes(word));
  let passed = 0;
  for (const { name, run } of chosen) {
    const fault = await run();
    console.log(
      `  ${fault === null ? 'ok  ' : 'FAIL'} ${name}${fault === null ? '' : `: ${fault}`}`,
    );
    passed += fault === null ? 1 : 0;
  }
  console.log(`${passed} passed, ${chosen.length - passed} failed`);
  return passed === chosen.length ? 0 : 1;
});

/** The fault of this peer, or null. */
async function check(peer) {
  const folder = mkdtempSync(path.join(tmpdir(), 'seriesdb-peers-'));
  const source = await startSource();
  const ports = { server: await freePort(), peer: await freePort(), reader: await freePort() };
  const config = (more) => {
    const file = path.join(folder, 'config.yml');
    const scrape = {
      ...{ job_name: 'peers', scrape_interval: `${scrapeMs}ms`, scrape_timeout: `${scrapeMs}ms` },
      static_configs: [{ targets: [`127.0.0.1:${source.port}`] }],
    };
    // JSON is valid YAML.
    writeFileSync(file, JSON.stringify({ scrape_configs: [scrape], ...more }));
    return file;
  };
  const target = `http://127.0.0.1:${ports.server}/api/v1/write`;
  try {
    let server = await startServer(folder, ports.server);
    const client = start(peer.name, peer.start(folder, { target, config, port: ports.peer }));
    await pause(runMs);
    await end(server, 'SIGKILL');
    await pause(runMs / 3);
    server = await startServer(folder, ports.server);
    await pause(runMs);
    source.stop();
    // Clients retry after increasing delays.
    await pause(runMs);
    const fault =
      (await compare(peer, source, ports)) ??
      (await compareStreams(peer, ports)) ??
      (await compareRead(peer, source, { folder, ports }));
    await end(client, 'SIGTERM');
    await end(server, 'SIGTERM');
    return fault;
  } finally {
    source.close();
    await endAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(peer, source, ports) {
  const last = source.answered();
  if (last < (2 * runMs) / scrapeMs / 2) return `only ${last} scrapes were made`;
  for (let i = 0; i < seriesCount; ++i) {
    const labels = { ...{ instance: `127.0.0.1:${source.port}`, job: 'peers' }, i: String(i) };
    const stored = await storedSamples(ports.server, 'peer_counter', labels);
    const values = stored.map(({ value }) => value);
    const expected = Array.from({ length: last }, (_, at) => (at + 1) * 1000 + i / 8);
    if (JSON.stringify(values) !== JSON.stringify(expected)) {
      return `series ${i} has ${values.length} samples of ${last}`;
    }
    if (peer.name !== 'prometheus') continue;
    const own = await ownSamples(ports.peer, `peer_counter{i="${i}"}[10m]`);
    if (JSON.stringify(own) !== JSON.stringify(stored)) return `series ${i} differs from its own`;
  }
  return null;
}

/**
 * Compares the streamed chunks of both servers for the same samples. Each series is one chunk and
 * ends within a byte. After a full chunk, Prometheus may add another one.
 */
async function compareStreams(peer, ports) {
  if (peer.name !== 'prometheus') return null;
  const support = (file) => import(inRoot(`dist/test/support/${file}.js`));
  const { postRead, readRequest } = await support('remote-read');
  const { snappy } = await support('remote-write');
  const { readFrames } = await support('chunk-stream');
  // Other series are still scraped.
  const matchers = [['__name__', '=~', 'peer_.*']];
  const read = { start: 0, end: Date.now() + 60_000, matchers };
  const body = snappy(readRequest([read, { ...read, end: 0 }, read], [1]));
  const [own, ours] = await Promise.all([postRead(ports.peer, body), postRead(ports.server, body)]);
  for (const { status, headers } of [own, ours]) {
    const type = headers.get('content-type');
    if (status !== 200 || !type.startsWith('application/x-streamed-protobuf')) {
      return `a stream is answered with ${status} ${type}`;
    }
  }
  const [expected, frames] = [readFrames(own.bytes), readFrames(ours.bytes)];
  if (expected.length < 2 * seriesCount) return `only ${expected.length} frames are there`;
  if (own.bytes.equals(ours.bytes)) return null;
  const at = expected.findIndex((frame, i) => !isDeepStrictEqual(frame, frames[i]));
  return `the stream differs from its own at frame ${at} of ${expected.length}`;
}

/** Compares the answers of a Prometheus without samples, over remote_read, with the original's. */
async function compareRead(peer, source, { folder, ports }) {
  if (peer.name !== 'prometheus') return null;
  const config = path.join(folder, 'reader.yml');
  const url = `http://127.0.0.1:${ports.server}/api/v1/read`;
  writeFileSync(config, JSON.stringify({ remote_read: [{ url, read_recent: true }] }));
  start('prometheus', [
    ...[`--config.file=${config}`, `--storage.tsdb.path=${path.join(folder, 'reader')}`],
    `--web.listen-address=127.0.0.1:${ports.reader}`,
  ]);
  await untilReady(ports.reader, '/-/ready');
  const queries = [
    'sum by (job) (count_over_time(peer_counter[10m]))',
    'peer_counter{i=~"1.?",job!="",none=""}[10m]',
    '{__name__=~"peer_.*",i!~"[0-9]{2,}"}[10m]',
    // The end of each series must be reported.
    'count(peer_counter)',
  ];
  const time = Date.now() / 1000;
  for (const query of queries) {
    const [own, read] = [
      await evaluated(ports.peer, query, time),
      await evaluated(ports.reader, query, time),
    ];
    if (own !== read) return `${query} is ${read.slice(0, 200)} and not ${own.slice(0, 200)}`;
  }
  const counted = JSON.parse(await evaluated(ports.reader, queries[0], time));
  const expected = String(source.answered() * seriesCount);
  return counted[0]?.value[1] === expected
    ? null
    : `${counted[0]?.value[1]} of ${expected} are read`;
}

/** The answer as text, with its series in a fixed order. */
async function evaluated(port, query, time) {
  const asked = new URLSearchParams({ query, time: String(time) });
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${asked}`);
  const { data, error } = await answer.json();
  if (error !== undefined) return error;
  const series = data.result.map((one) => JSON.stringify(one)).sort();
  return `[${series.join(',')}]`;
}

async function storedSamples(port, metric, labels) {
  const asked = new URLSearchParams({
    ...{ metric, labels: JSON.stringify(labels) },
    ...{ start: '0', end: String(2 ** 52) },
  });
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query/range?${asked}`);
  if (!answer.ok) return [];
  // Other servers report the end of a series as a sample without a value.
  return (await answer.json()).filter(({ value }) => value !== null);
}

async function ownSamples(port, query) {
  const asked = new URLSearchParams({ query });
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${asked}`);
  const [found] = (await answer.json()).data.result;
  return found.values.map(([seconds, value]) => ({
    ts: Math.round(seconds * 1000),
    value: Number(value),
  }));
}

/** A target to scrape, whose values tell the scrape's number. */
async function startSource() {
  let answered = 0;
  let isStopped = false;
  const server = http.createServer((_, response) => {
    if (isStopped) return response.destroy();
    ++answered;
    const lines = ['# HELP peer_counter Scrapes.', '# TYPE peer_counter counter'];
    for (let i = 0; i < seriesCount; ++i) {
      lines.push(`peer_counter{i="${i}"} ${answered * 1000 + i / 8}`);
    }
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(`${lines.join('\n')}\n`);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    answered: () => answered,
    stop: () => {
      isStopped = true;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
