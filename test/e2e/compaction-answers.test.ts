/** Compaction changes no answer, byte for byte. */
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

const dayMs = 86_400_000;
const firstTs = 1_700_000_000_000;
const hosts = ['a', 'b', 'c'];
const rounds = 8;

interface DataSet {
  readonly metric: string;
  readonly stepMs: number;
  readonly isCounter?: boolean;
  readonly next: (random: Random, last: number) => number;
}

/** A double of either sign with all 53 bits in use, from 1 to 1000 in size. */
function fullDouble(random: Random): number {
  const part = (random.next32() * 2 ** 21 + (random.next32() >>> 11)) / 2 ** 53;
  return (1 + part * 999) * (random.chance(0.5) ? 1 : -1);
}

const dataSets: readonly DataSet[] = [
  { metric: 'integers', stepMs: 10_000, next: (random) => random.below(1000) - 500 },
  { metric: 'decimals', stepMs: 15_000, next: (random) => (random.below(100_000) - 50_000) / 100 },
  { metric: 'doubles', stepMs: 60_000, next: fullDouble },
  { metric: 'zeros', stepMs: 30_000, next: (random) => random.pick([0, 0, -0]) },
  {
    ...{ metric: 'counter', stepMs: 10_000, isCounter: true },
    next: (random, last) => (random.chance(0.01) ? 0 : last + random.below(50)),
  },
];

/** Samples of every series from a moment on, sometimes with a gap. */
function linesFrom(random: Random, nowTs: number): string {
  const lines: string[] = [];
  for (const { metric, stepMs, isCounter, next } of dataSets) {
    for (const host of hosts) {
      // Some samples are late and overlap older ones.
      const isLate = random.chance(0.25);
      let ts = isLate ? firstTs + random.below(nowTs - firstTs + 1) : nowTs;
      let value = 0;
      const kind = isCounter === true ? ',"kind":"counter"' : '';
      for (let left = 50 + random.below(500); left > 0; left--) {
        value = next(random, value);
        const text = Object.is(value, -0) ? '-0.0' : String(value);
        lines.push(
          `{"metric":"${metric}","labels":{"host":"${host}"}${kind},"ts":${ts},"value":${text}}`,
        );
        ts += stepMs * (random.chance(0.02) ? 1 + random.below(200) : 1);
      }
    }
  }
  return lines.join('\n');
}

async function post(port: number | null, target: string, body = ''): Promise<string> {
  const answer = await ask(port, target, { method: 'POST', body });
  assert.strictEqual(answer.status, 200, `${target} ${body}: ${answer.body}`);
  return answer.body;
}

/** Flushes over the days, each with a deletion before or after it. */
async function fill(server: Server, random: Random): Promise<void> {
  let nowTs = firstTs;
  for (let round = 0; round < rounds; round++) {
    await post(server.port, '/api/v1/ingest', linesFrom(random, nowTs));
    const isFlushedFirst = random.chance(0.5);
    if (isFlushedFirst) await post(server.adminPort, '/__admin/flush');
    const start = firstTs + random.below(nowTs - firstTs + dayMs);
    const source = `${random.pick(dataSets).metric}{host='${random.pick(hosts)}'}`;
    const text = `delete from ${source} where time between ${start} and ${start + random.below(dayMs)}`;
    await post(server.port, '/api/v1/seriesql', text);
    if (!isFlushedFirst) await post(server.adminPort, '/__admin/flush');
    nowTs += dayMs / 4 + random.below(dayMs);
  }
}

/** A request, and a label for failures. */
interface Question {
  readonly target: string;
  readonly body: string;
}

const statement = (body: string): Question => ({ target: '/api/v1/seriesql', body });

const middle = `time >= ${firstTs + 3_333_333} and time < ${firstTs + 4 * dayMs + 777}`;

function statementsOf(metric: string): readonly Question[] {
  const seven = 'count(value), sum(value), avg(value), min(value), max(value)';
  const ends = 'first(value), last(value)';
  const bucketed = (width: string): string =>
    `select tag.host, time_bucket(${width}, time) as t, ${seven}, ${ends} from ${metric} where time >= 0 group by 1, 2`;
  const differences = 'delta(value), increase(value), rate(value), integral(value)';
  return [
    ...['7m', '1h', '6h', '1d', '3d', '1w', '1mo'].map(bucketed),
    `select ${seven} from ${metric} where ${middle}`,
    `select tag.host, ${seven}, ${ends} from ${metric} where ${middle} and value >= 0 group by 1`,
    `select tag.host, time_bucket(1d, time) as t, ${differences} from ${metric} where time >= 0 group by 1, 2`,
    `select stddev(value), variance(value), time_bucket(1d, time) as t from ${metric} where time >= 0 group by t`,
    `select tag.host, stddev(value), variance(value) from ${metric} where ${middle} group by 1`,
    `select tag.host, median(value), percentile(value, 0.95), count(distinct value) from ${metric} where time >= 0 group by 1`,
    `select tag.host, time, value from ${metric} where time >= 0`,
    `select time, series_id, value from ${metric} where ${middle} order by value desc, time limit 50`,
  ].map(statement);
}

function comparisonsOf(metric: string): readonly Question[] {
  const windows = {
    ...{ start: firstTs, end: firstTs + dayMs, baseline_start: firstTs + dayMs + 1 },
    baseline_end: firstTs + 6 * dayMs,
  };
  return ['last', 'avg', 'sum', 'min', 'max', 'count', 'delta'].map((aggregate) => ({
    target: '/api/v1/query/compare',
    body: JSON.stringify({ metric, labels: { host: 'a' }, aggregate, ...windows }),
  }));
}

function questions(): readonly Question[] {
  const of = (name: string, body: object): Question => ({
    target: `/api/v1/${name}`,
    body: JSON.stringify(body),
  });
  const range = { start: firstTs + dayMs / 2, end: firstTs + 3 * dayMs };
  return [
    of('metrics/find', {}),
    of('metrics/health', {}),
    of('labels/values', { key: 'host' }),
    statement('show series from integers where time >= 0'),
    ...dataSets.flatMap(({ metric }) => [
      of('series/find', { metric }),
      of('query/range', { metric, labels: { host: 'b' }, ...range }),
      ...comparisonsOf(metric),
      ...statementsOf(metric),
    ]),
  ];
}

/** The stats are removed: they may differ, the rows may not. */
const withoutStats = (body: string): string => body.replace(/,"stats":\{[^}]*\}\}$/, '}');

async function answersOf(server: Server, asked: readonly Question[]): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const { target, body } of asked) {
    answers.push(withoutStats(await post(server.port, target, body)));
  }
  return answers;
}

async function segmentCount(server: Server): Promise<number> {
  const { body } = await ask(server.port, '/metrics');
  return Number(/^seriesdb_segments (\d+)$/m.exec(body)?.[1]);
}

describe('answers before and after a compaction', function () {
  this.timeout(120_000);
  afterEach(killServers);

  it(`are the same to the byte, seed ${testSeed}`, async () => {
    const dataDir = temporaryDirectory();
    const server = await startServer({ dataDir, args: [...withAdmin, '--compaction', 'false'] });
    await fill(server, new Random(testSeed));
    const segments = await segmentCount(server);
    const asked = questions();
    const before = await answersOf(server, asked);
    const { status } = lastLine(await post(server.adminPort, '/__admin/compact'));
    assert.strictEqual(status, 'compacted');
    assert.isBelow(await segmentCount(server), segments);
    const after = await answersOf(server, asked);
    asked.forEach(({ target, body }, at) => {
      assert.notMatch(before[at] ?? '', /:\[\]|^\[\]$|^$/, `${target} ${body} found nothing`);
      assert.strictEqual(after[at], before[at], `${target} ${body}`);
    });
    await server.stop();
    removeDirectory(dataDir);
  });
});
