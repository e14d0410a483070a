import { assert } from 'chai';

import { ask, startConfigured, transportNames } from '../support/admin-server.js';
import { objectFiles } from '../support/segment-files.js';
import { killServers, type Server } from '../support/server.js';

const dayMs = 86_400_000;
const rules = '[[retention]]\nmatch = "debug.*"\nkeep = "7d"\n';

interface Case {
  readonly server: Server;
  readonly dataDir: string;
  readonly rewrite: (toml: string) => void;
}

async function post(port: number | null, target: string, body?: string): Promise<string> {
  const answer = await ask(
    port,
    target,
    body === undefined ? { method: 'POST' } : { method: 'POST', body },
  );
  assert.isBelow(answer.status, 300, answer.body);
  assert.notInclude(answer.body, '"status":"failed"');
  return answer.body;
}

/** Samples a hundred days old, and of this moment. */
async function fill({ server }: Case): Promise<void> {
  const now = Date.now();
  const samples = [
    ['debug.old', now - 100 * dayMs],
    ['debug.both', now - 100 * dayMs],
    ['debug.both', now],
    ['kept', now - 100 * dayMs],
    ['kept', now],
  ] as const;
  const lines = samples.map(([metric, ts]) => JSON.stringify({ metric, ts, value: 1 }));
  await post(server.port, '/api/v1/ingest', `${lines.join('\n')}\n`);
  await post(server.adminPort, '/__admin/flush');
}

/**
 * Notes as old as the expiring samples, of an expiring metric and of none. Returns the stored
 * notes.
 */
async function annotate(one: Case): Promise<readonly unknown[]> {
  const start = Date.now() - 100 * dayMs;
  for (const about of [{ metric: 'debug.old' }, {}]) {
    const note = { kind: 'deploy', title: 'an old one', start, ...about };
    await post(one.server.port, '/api/v1/annotations/write', JSON.stringify(note));
  }
  const written = await notes(one);
  assert.lengthOf(written, 2);
  return written;
}

async function notes({ server }: Case): Promise<readonly unknown[]> {
  const body = JSON.stringify({ start: 0, end: Date.now() });
  return JSON.parse(await post(server.port, '/api/v1/annotations/query', body)) as unknown[];
}

async function points({ server }: Case, metric: string): Promise<number> {
  const query = `/api/v1/query/range?metric=${metric}&start=0&end=${String(Date.now() + dayMs)}`;
  const answer = await ask(server.port, query);
  assert.strictEqual(answer.status, 200, answer.body);
  return (answer.body.match(/"ts":/g) ?? []).length;
}

async function metrics({ server }: Case): Promise<string> {
  return (await ask(server.port, '/metrics')).body;
}

function files({ dataDir }: Case): number {
  return objectFiles(dataDir).length;
}

async function names({ server }: Case): Promise<readonly string[]> {
  const found = JSON.parse(await post(server.port, '/api/v1/metrics/find', '{}')) as readonly {
    readonly metric: string;
  }[];
  return found.map(({ metric }) => metric).sort();
}

async function expectForgotten(one: Case): Promise<void> {
  assert.deepEqual(await names(one), ['debug.both', 'kept']);
  assert.deepEqual([await points(one, 'debug.both'), await points(one, 'kept')], [1, 2]);
}

for (const transport of transportNames) {
  describe(`retention over ${transport}`, function () {
    this.timeout(60_000);
    afterEach(killServers);

    it('removes expired segments, and discovery no longer lists their series', async () => {
      const one = await startConfigured(transport, rules);
      await fill(one);
      const written = await annotate(one);
      await post(one.server.adminPort, '/__admin/compact');
      await expectForgotten(one);
      await post(one.server.adminPort, '/__admin/gc?history=true');
      // Notes are not samples: those about expired metrics stay.
      assert.deepEqual(await notes(one), written);
      const text = await metrics(one);
      assert.match(text, /^seriesdb_retention_dropped_segments_total 1$/m);
      assert.match(text, /^seriesdb_retention_dropped_samples_total 2$/m);
      assert.match(text, new RegExp(`^seriesdb_segments ${String(files(one))}$`, 'm'));
      assert.match(text, /^seriesdb_retention_jump_total 0$/m);
      const clock = Number(/^seriesdb_retention_clock_seconds (\S+)$/m.exec(text)?.[1]);
      assert.closeTo(clock, Date.now() / 1000, 600);
      const oldest = Number(/^seriesdb_segment_oldest_seconds (\S+)$/m.exec(text)?.[1]);
      assert.closeTo(oldest, (Date.now() - 100 * dayMs) / 1000, 600);
    });

    it("selects series by labels like discovery, and keeps the metric's others", async () => {
      const table = '[[retention]]\nmatch = "m*"\nlabels = { env = "dev" }\nkeep = "7d"\n';
      const one = await startConfigured(transport, table);
      const now = Date.now();
      const lines = ['dev', 'prod'].flatMap((env) =>
        [now - 100 * dayMs, now].map((ts) =>
          JSON.stringify({ metric: 'm', labels: { env, host: 'a' }, ts, value: 1 }),
        ),
      );
      await post(one.server.port, '/api/v1/ingest', `${lines.join('\n')}\n`);
      await post(one.server.adminPort, '/__admin/flush');
      await post(one.server.adminPort, '/__admin/compact');
      const found = await post(one.server.port, '/api/v1/series/find', '{"metric":"m"}');
      const series = JSON.parse(found) as readonly {
        readonly labels: { readonly env: string };
        readonly first_ts: number;
      }[];
      const first = Object.fromEntries(series.map((each) => [each.labels.env, each.first_ts]));
      assert.deepEqual(first, { dev: now, prod: now - 100 * dayMs });
      const config = await ask(one.server.adminPort, '/__admin/config');
      assert.include(config.body, '{"match":"m*","labels":{"env":"dev"},"keep":"7d"}');
    });

    it('applies new rules after a reload, also to stored samples', async () => {
      const one = await startConfigured(transport, '');
      await fill(one);
      await post(one.server.adminPort, '/__admin/compact');
      assert.deepEqual(await names(one), ['debug.both', 'debug.old', 'kept']);
      one.rewrite(rules);
      await post(one.server.adminPort, '/__admin/reload');
      await post(one.server.adminPort, '/__admin/compact');
      await expectForgotten(one);
      one.rewrite('retention_days = 30\n');
      await post(one.server.adminPort, '/__admin/reload');
      await post(one.server.adminPort, '/__admin/compact');
      assert.strictEqual(await points(one, 'debug.both'), 1);
    });
  });
}
