// Compares our PromQL answers with those of third-party programs. A real Prometheus with the same
// samples must give the same answers to random queries. promtool must print the same for both.
// vmalert must evaluate rules and write their results back.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { ScriptError, freePort, inRoot } from '../project.mjs';
import { end, endAll, start, startServer } from './processes.mjs';

const questionCount = 2000;
const shownMax = 5;

export const promqlChecks = [
  { name: 'prometheus answers questions at random as we do', run: withBoth(compareRandom) },
  { name: 'promtool prints the same of both', run: withBoth(comparePromtool) },
  { name: 'vmalert evaluates rules, writes what they give and restores alerts', run: checkVmalert },
];

const test = (file) => import(inRoot(`dist/test/${file}.js`));

async function askServer(port, asked, parameters) {
  const body = new URLSearchParams(parameters);
  const answer = await fetch(`http://127.0.0.1:${port}${asked}`, { method: 'POST', body });
  return { status: answer.status, body: await answer.json() };
}

/** Runs our server and a Prometheus with the same random series. */
function withBoth(compare) {
  return async () => {
    const { testSeed: seed } = await test('support/random');
    const { randomSeries } = await test('promql/random-data');
    const { RealPrometheus, sentSeries } = await test('promql/real-prometheus');
    const { snappy, writeRequest } = await test('support/remote-write');
    const folder = mkdtempSync(path.join(tmpdir(), 'seriesdb-peers-'));
    const ports = { server: await freePort(), peer: await freePort() };
    const peer = await RealPrometheus.start(ports.peer);
    try {
      await startServer(folder, ports.server);
      const series = randomSeries(seed);
      await peer.write(series);
      await write(ports.server, snappy(writeRequest(sentSeries(series))));
      return await compare({ seed, ports, peer });
    } finally {
      peer.stop();
      await endAll();
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

async function write(port, body) {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/write`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
    body,
  });
  if (!answer.ok) throw new ScriptError(`a write is answered with ${answer.status}`);
}

async function compareRandom({ seed, ports, peer }) {
  const { PeerCases, compareAnswers } = await test('promql/peer-cases');
  const ours = (...asked) => askServer(ports.server, ...asked);
  const theirs = (...asked) => peer.ask(...asked);
  const compared = await compareAnswers(new PeerCases(seed), questionCount, [ours, theirs]);
  const { differences, errors, empty } = compared;
  console.log(`  ${questionCount} questions, seed ${seed}: ${errors} errors, ${empty} empty`);
  if (errors + empty > questionCount / 2) return 'most answers say nothing';
  if (differences.length === 0) return null;
  const shown = differences.slice(0, shownMax).join('\n    ');
  return `${differences.length} differ, seed ${seed}:\n    ${shown}`;
}

const span = ['--start=1700000300', '--end=1700000900'];
const promtoolAsks = [
  (url) => ['instant', url, 'sum by (job) (rate(requests_total[5m] @ 1700001000))'],
  (url) => ['instant', url, 'temperature{instance="1"}[1m] @ 1700001000'],
  (url) => ['instant', url, 'scalar(count(limit @ 1700001000))'],
  (url) => ['range', ...span, '--step=1m', url, 'sum by (job) (rate(requests_total[5m]))'],
  (url) => ['series', '--match={__name__=~"limit|odd"}', ...span, url],
  (url) => ['labels', url, 'job'],
  (url) => ['labels', url, '__name__'],
  // A query that both servers must refuse.
  (url) => ['instant', url, 'sum('],
];

/** The time of an instant query is the time of the request. */
function comparePromtool({ ports }) {
  for (const ask of promtoolAsks) {
    const [ours, theirs] = [ports.server, ports.peer].map((port) => {
      const url = `http://127.0.0.1:${port}`;
      const done = spawnSync('promtool', ['query', ...ask(url)], { encoding: 'utf8' });
      const said = `${done.status}\n${done.stdout}${done.stderr}`;
      const lines = said.replace(/@\[\d{10}\.\d+\]|\d{10}\.?\d* *$/gm, '@').split('\n');
      return lines.sort().join('\n').replaceAll(url, 'URL');
    });
    if (ours !== theirs) return `${ask('URL').join(' ')}: ${ours} for ${theirs}`;
  }
  return null;
}

const rules = {
  groups: [
    {
      name: 'peers',
      interval: '1s',
      rules: [
        { record: 'job:peer_load:sum', expr: 'sum by (job) (peer_load)' },
        { alert: 'PeerLoad', expr: 'peer_load > 1', for: '1h', labels: { severity: 'page' } },
      ],
    },
  ],
};

async function checkVmalert() {
  const folder = mkdtempSync(path.join(tmpdir(), 'seriesdb-peers-'));
  const ports = { server: await freePort(), peer: await freePort() };
  const file = path.join(folder, 'rules.yml');
  // JSON is valid YAML.
  writeFileSync(file, JSON.stringify(rules));
  try {
    await startServer(folder, ports.server);
    await writeLoad(ports.server);
    const first = await alertOf(ports, file);
    if (typeof first === 'string') return first;
    const recorded = await until(async () => {
      const query = 'job:peer_load:sum{job="a"}';
      const { body } = await askServer(ports.server, '/api/v1/query', { query });
      return body.data?.result?.[0]?.value?.[1] === '5';
    });
    if (!recorded) return 'what a rule records does not come back';
    await end(first.child, 'SIGTERM');
    const second = await alertOf(ports, file);
    if (typeof second === 'string') return second;
    const [before, after] = [first.alert.activeAt, second.alert.activeAt];
    return after === before && second.alert.restored === true
      ? null
      : `an alert is active since ${after}, and was since ${before}`;
  } finally {
    await endAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** vmalert queries a time in the past, to allow for late samples. */
async function writeLoad(port) {
  const lines = [];
  for (let ts = Date.now() - 300_000; ts < Date.now() + 60_000; ts += 5000) {
    for (const [host, value] of [
      ['x', 2],
      ['y', 3],
    ]) {
      lines.push(JSON.stringify({ metric: 'peer_load', labels: { job: 'a', host }, ts, value }));
    }
  }
  const url = `http://127.0.0.1:${port}/api/v1/ingest`;
  const answer = await fetch(url, { method: 'POST', body: lines.join('\n') });
  if (!answer.ok) throw new ScriptError(`samples are refused with ${answer.status}`);
}

/** A vmalert that has evaluated the rules, with one of the alerts; otherwise the fault. */
async function alertOf(ports, file) {
  const url = `http://127.0.0.1:${ports.server}`;
  const child = start('vmalert', [
    ...[`-rule=${file}`, `-datasource.url=${url}`, `-remoteWrite.url=${url}`],
    ...[`-remoteRead.url=${url}`, '-notifier.blackhole', '-remoteWrite.flushInterval=500ms'],
    `-httpListenAddr=127.0.0.1:${ports.peer}`,
  ]);
  let alert;
  let said = 'no answer';
  const found = await until(async () => {
    const answer = await fetch(`http://127.0.0.1:${ports.peer}/api/v1/alerts`);
    said = await answer.text();
    const { alerts } = JSON.parse(said).data;
    alert = alerts.find((one) => one.labels.host === 'x');
    return alert !== undefined;
  });
  return found ? { child, alert } : `no alert: ${said.slice(0, 1000)}`;
}

async function until(isSo) {
  for (let left = 150; left > 0; --left) {
    if (await isSo().catch(() => false)) return true;
    await pause(200);
  }
  return false;
}
