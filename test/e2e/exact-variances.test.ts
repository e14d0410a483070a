/** Variances are bit-identical wherever samples lie: they are exact, as sums are. */
import { assert } from 'chai';

import { ask, lastLine } from '../support/admin-server.js';
import { withAdmin } from '../support/maintenance.js';
import { Random, testSeed } from '../support/random.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

import type { Server } from '../support/server.js';

const firstTs = 1_700_000_000_000;
const stepMs = 10_000;
const samples = 3000;
const hosts = ['a', 'b', 'c', 'd', 'e'];
const end = firstTs + samples * stepMs;

async function post(port: number | null, target: string, body = ''): Promise<string> {
  const answer = await ask(port, target, { method: 'POST', body });
  assert.strictEqual(answer.status, 200, `${target} ${body}: ${answer.body}`);
  return answer.body;
}

/** A double whose 53 bits are all in use, around a level that hides their differences. */
function valueOf(random: Random, level: number): number {
  return level + (random.next32() * 2 ** 21 + (random.next32() >>> 11)) / 2 ** 53;
}

/** Half of the samples are sent in a first body, the others lie between them. */
function bodies(random: Random): readonly [string, string] {
  const lines: [string[], string[]] = [[], []];
  hosts.forEach((host, at) => {
    for (let i = 0; i < samples; i++) {
      const value = valueOf(random, 10 ** at);
      const line = { metric: 'm', labels: { host }, ts: firstTs + i * stepMs, value };
      lines[random.below(2) === 0 ? 0 : 1].push(JSON.stringify(line));
    }
  });
  return [lines[0].join('\n'), lines[1].join('\n')];
}

const statements = [
  'select stddev(value), variance(value) from m where time >= 0',
  'select tag.host, stddev(value), variance(value) from m where time >= 0 group by 1',
  'select time_bucket(7m, time) as t, stddev(value), variance(value) from m where time >= 0 group by t',
  'select tag.host, time_bucket(1h, time) as t, variance(value), stddev(value / 3), max(value) from m where time >= 0 group by 1, t',
  `select variance(value), sum(value) from m where time >= ${firstTs + 77_777} and value >= 1.5`,
  'select time_bucket(1mo, time) as t, stddev(value), min_time(value) from m where time >= 0 group by t',
];
const expressions = [
  'stddev(m)',
  'stdvar by (host) (m)',
  'stddev(rate(m[5m]))',
  'stddev_over_time(m[1h])',
  'stdvar_over_time(m[7m])',
  'stdvar(stddev_over_time(m[10m]))',
];

async function answersOf(server: Server): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const text of statements) {
    const body = await post(server.port, '/api/v1/seriesql', text);
    assert.notMatch(body, /"rows":\[\]/, text);
    answers.push(`${text}\n${body.replace(/,"stats":\{[^}]*\}\}$/, '}')}`);
  }
  for (const query of expressions) {
    const text = encodeURIComponent(query);
    const range = `start=${firstTs / 1000}&end=${end / 1000}&step=137`;
    const answer = await ask(server.port, `/api/v1/query_range?query=${text}&${range}`);
    assert.strictEqual(answer.status, 200, answer.body);
    assert.include(answer.body, '"values":[[', query);
    answers.push(`${query}\n${answer.body}`);
  }
  return answers;
}

describe('variances and standard deviations', function () {
  this.timeout(120_000);
  afterEach(killServers);

  it(`do not change by a flush, a compaction and a restart, seed ${testSeed}`, async () => {
    const dataDir = temporaryDirectory();
    const args = [...withAdmin, '--compaction', 'false'];
    const server = await startServer({ dataDir, args });
    const [first, second] = bodies(new Random(testSeed));
    await post(server.port, '/api/v1/ingest', first);
    await post(server.adminPort, '/__admin/flush');
    await post(server.port, '/api/v1/ingest', second);
    const inMemory = await answersOf(server);
    await post(server.adminPort, '/__admin/flush');
    const flushed = await answersOf(server);
    const { status } = lastLine(await post(server.adminPort, '/__admin/compact'));
    assert.strictEqual(status, 'compacted');
    const compacted = await answersOf(server);
    await server.stop();
    const again = await startServer({ dataDir, args });
    const restarted = await answersOf(again);
    inMemory.forEach((answer, at) => {
      assert.strictEqual(flushed[at], answer, 'after a flush');
      assert.strictEqual(compacted[at], answer, 'after a compaction');
      assert.strictEqual(restarted[at], answer, 'after a restart');
    });
    await again.stop();
    removeDirectory(dataDir);
  });
});
