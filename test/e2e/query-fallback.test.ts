/** Reasons for which a query falls back to the interpreter, and the counters of every outcome. */

import { expect } from 'chai';

import { Client } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

const path = '/api/v1/seriesql';

const lines = [
  '{"metric":"m","labels":{"host":"a"},"ts":1,"value":2}',
  '{"metric":"m","labels":{"host":"a"},"ts":2,"value":3}',
  '{"metric":"m","labels":{"host":"b"},"ts":1,"value":4}',
].join('\n');

const names = [
  'attempts',
  'success',
  'fallback',
  'unsupported',
  'series_not_found',
  'ambiguous_selector',
  'shadow_mismatch',
] as const;
type Name = (typeof names)[number];
type Counters = Partial<Record<Name, number>>;

class Watched {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** From `/status`; `/metrics` says the same. */
  async counters(): Promise<Record<Name, number>> {
    const { runtime } = JSON.parse((await this.client.get('/status')).body) as {
      runtime: Record<string, number>;
    };
    const { body } = await this.client.get('/metrics');
    const entries = names.map((name) => {
      const value = runtime[`query_compile_${name}_total`];
      expect(body).to.contain(`\nseriesdb_query_compile_${name}_total ${value ?? 'none'}\n`);
      return [name, value] as const;
    });
    return Object.fromEntries(entries) as Record<Name, number>;
  }

  /** The answer of a query, and the change of each counter. */
  async ask(text: string): Promise<{ status: number; body: string; moved: Counters }> {
    const before = await this.counters();
    const { status, body } = await this.client.request('POST', path, { body: text });
    const after = await this.counters();
    const moved = names.flatMap((name) => {
      const by = after[name] - before[name];
      return by === 0 ? [] : [[name, by] as const];
    });
    return { status, body, moved: Object.fromEntries(moved) };
  }
}

const compiled = { attempts: 1, success: 1 };
const fallen = { attempts: 1, fallback: 1, unsupported: 1 };

// Not here: `unsupported_fill`, `unsupported_tag_filter` and `unsupported_projection`, since the
// compiled engine takes every FILL, condition on labels and item; `series_not_found` and
// `ambiguous_selector`, which are errors with either engine; `shadow_mismatch`, which needs an
// engine that is wrong: see the test of running a query.
/** A text that is computed for each sample. */
const mixed = 'concat(tag.host, cast(value as string))';

const reasons: readonly (readonly [string, string])[] = [
  ['explain select 1', 'unsupported_statement'],
  ['explain bytecode select value from m where time >= 0', 'unsupported_statement'],
  ['insert into n values (1, 1)', 'unsupported_statement'],
  ['delete from n where time between 5 and 6', 'unsupported_statement'],
  [`select count(*) from m group by ${mixed}`, 'unsupported_grouping'],
  ["select count(*) from m group by time_bucket(1mo, time, 'Asia/Tokyo')", 'unsupported_grouping'],
  [
    `select tag.host, value from m where time >= 0 order by ${mixed} limit 1`,
    'unsupported_ordering',
  ],
  ['select irate(value) from m where time >= 0', 'unsupported_aggregate'],
  [`select first(${mixed}) from m where time >= 0`, 'unsupported_expression'],
  [`select tag.host, value from m where time >= 0 and ${mixed} = 'x'`, 'unsupported_predicate'],
  ['select time, tag.host, lag(value) from m where time >= 0', 'unsupported_function'],
];

const taken = [
  'select 1',
  'select avg(value) from m where time >= 0',
  'select time_bucket(3mo, time), count(*) from m where time >= 0 group by 1',
  'select count(*) from m group by time_bucket(1mo, time), time_bucket(1y, time)',
  'select value > 2, count(*) from m group by value > 2',
  "select tag.host = 'a', count(*) from m group by tag.host = 'a'",
  'select upper(tag.host), count(*) from m group by upper(tag.host)',
  "select case when value > 2 then 'high' end, count(*) from m group by 1",
  'select time, tag.host, value from m where time >= 0',
  'select tag.host from m',
  'select count(*) from m group by case when value > 2 then tag.host end',
  "select last(case when value > 2 then tag.host else 'x' end) from m where time >= 0",
  'select tag.host from m where time >= 0',
  'select tag.host, value from m where ln(value) > 0 and time >= 0 order by exp(value) limit 1',
  'select pow(value, 2), sum(round(value, time % 3)) from m group by pow(value, 2)',
  'show series from m where time >= 0',
  'show metrics',
  'select first(tag.host), count(distinct tag.host) from m where time >= 0',
  'select tag.host, min(value > 2), max_time(metric) from m where time >= 0 group by tag.host',
  'explain analyze select avg(value) from m where time >= 0',
];

for (const mode of ['compiled', 'legacy', 'shadow'] as const) {
  describe(`engines and their counters, ${mode}`, () => {
    const directory = temporaryDirectory();
    let watched: Watched;
    before(async () => {
      const args = ['--query-compiler-mode', mode];
      watched = new Watched(new Client((await startServer({ dataDir: directory, args })).port));
      await watched.client.ingest(lines);
    });
    after(async () => {
      watched.client.close();
      await killServers();
      removeDirectory(directory);
    });
    const counted = (counters: Counters): Counters => (mode === 'legacy' ? {} : counters);
    const statsOf = (body: string) =>
      (JSON.parse(body) as { stats: Record<string, unknown> }).stats;

    for (const [text, reason] of reasons) {
      it(`${reason}: ${text}`, async () => {
        const { status, body, moved } = await watched.ask(text);
        expect(status, body).to.equal(200);
        expect(moved).to.deep.equal(counted(fallen));
        const stats = statsOf(body);
        expect(stats).to.include({ execution_mode: mode, legacy_fallback: mode !== 'legacy' });
        if (mode === 'legacy') expect(stats).not.to.have.property('fallback_reason');
        else expect(stats['fallback_reason']).to.equal(reason);
      });
    }

    for (const text of taken) {
      it(`no fallback: ${text}`, async () => {
        const { status, body, moved } = await watched.ask(text);
        expect(status, body).to.equal(200);
        expect(moved).to.deep.equal(counted(compiled));
        expect(statsOf(body)).to.include({ execution_mode: mode, legacy_fallback: false });
        expect(statsOf(body)).not.to.have.property('fallback_reason');
      });
    }

    it('a selector that matches nothing or too much is an error in both engines', async () => {
      const none = await watched.ask('select avg(value) from nothing where time >= 0');
      expect(none.status).to.equal(404);
      expect(none.moved).to.deep.equal(counted({ ...compiled, series_not_found: 1 }));
      const many = await watched.ask('select value from m where time >= 0');
      expect(many.status).to.equal(409);
      expect(many.moved).to.deep.equal(counted({ ...compiled, ambiguous_selector: 1 }));
    });

    it('a statement that no engine can run reaches neither', async () => {
      for (const text of ['selec 1', 'select valu from m', 'update m set value = 1']) {
        const { status, moved } = await watched.ask(text);
        expect(status).to.equal(400);
        expect(moved).to.deep.equal({});
      }
    });
  });
}
