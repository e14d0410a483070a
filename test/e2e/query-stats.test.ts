/** The `stats` of a query, through the public API. */

import { expect } from 'chai';

import { Client } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

const path = '/api/v1/seriesql';

interface Operator {
  readonly name: string;
  readonly rows_out: number;
  readonly elapsed_ms: number;
}

interface QueryAnswer {
  readonly rows: readonly (readonly unknown[])[];
  readonly stats: Readonly<Record<string, unknown>> & { readonly operators?: readonly Operator[] };
}

const hosts = 300;
const samplesPerHost = 20;

function* lines(): Generator<string> {
  for (let host = 0; host < hosts; host++) {
    for (let at = 0; at < samplesPerHost; at++) {
      yield `{"metric":"m","labels":{"host":"${host}"},"ts":${at * 60_000},"value":${at}}\n`;
    }
  }
}

const times = ['parse_ms', 'validate_ms', 'plan_ms', 'execute_ms'] as const;
const fields = [
  ...times,
  ...['rows_emitted', 'rows_scanned', 'series_scanned', 'chunks_scanned', 'chunks_skipped'],
  ...['bytes_read', 'execution_mode', 'legacy_fallback', 'selector_mode', 'selected_series_count'],
];

for (const mode of ['compiled', 'legacy', 'shadow'] as const) {
  describe(`stats of a query, ${mode}`, () => {
    const directory = temporaryDirectory();
    let client: Client;
    before(async () => {
      const args = ['--query-compiler-mode', mode];
      client = new Client((await startServer({ dataDir: directory, args })).port);
      await client.ingest([...lines()].join(''));
    });
    after(async () => {
      client.close();
      await killServers();
      removeDirectory(directory);
    });
    const ask = async (text: string): Promise<QueryAnswer & { readonly body: string }> => {
      const { status, body } = await client.request('POST', path, { body: text });
      expect(status, body).to.equal(200);
      return { ...(JSON.parse(body) as QueryAnswer), body };
    };

    it('has all fields and no other', async () => {
      const { stats } = await ask('select tag.host, sum(value) from m group by tag.host');
      expect(Object.keys(stats)).to.deep.equal(fields);
      expect(stats).to.include({
        ...{ rows_emitted: hosts, rows_scanned: hosts * samplesPerHost, series_scanned: hosts },
        ...{ execution_mode: mode, legacy_fallback: false },
        ...{ selector_mode: 'metric_family', selected_series_count: hosts },
      });
    });

    it('says whether the selector names a single series by all its labels', async () => {
      for (const what of ['labels', 'label values for host', 'series']) {
        const one = await ask(`show ${what} from m where tag.host = '1'`);
        expect(one.stats['selector_mode'], what).to.equal('exact');
        const two = await ask(`show ${what} from m where tag.host in ('1', '2')`);
        expect(two.stats['selector_mode'], what).to.equal('metric_family');
      }
      const all = await ask("show metrics where tag.host = '1'");
      expect(all.stats['selector_mode']).to.equal('none');
    });

    it('reports the time of every step, to the microsecond', async () => {
      for (const text of [
        'select tag.host, sum(value) from m group by tag.host',
        'select tag.host, time, value from m where time >= 0',
      ]) {
        const started = performance.now();
        const { stats, body } = await ask(`${text} limit ${hosts * samplesPerHost}`);
        const took = performance.now() - started;
        const spent = times.map((name) => Number(stats[name]));
        for (const [at, name] of times.entries()) expect(spent[at], name).to.be.above(0);
        expect(spent.reduce((sum, ms) => sum + ms)).to.be.at.most(took + 1);
        for (const [, digits = ''] of body.matchAll(/_ms":\d+\.?(\d*)/g)) {
          expect(digits.length).to.be.at.most(3);
        }
      }
    });

    it('contain operators and their rows in EXPLAIN ANALYZE only', async () => {
      const text =
        'select tag.host, time_bucket(10m, time) as t, avg(value) as mean from m ' +
        'where time between 0 and 1799999 group by tag.host, t fill(null) having count(*) > 1 ' +
        'order by mean desc limit 7';
      expect((await ask(text)).stats).not.to.have.property('operators');
      const { rows, stats } = await ask(`explain analyze ${text}`);
      const expected: [string, number][] = [
        ['select series', hosts],
        ...(mode === 'compiled' ? [] : [['scan', hosts * samplesPerHost] as [string, number]]),
        ['group', hosts * 2],
        ['fill', hosts * 3],
        ['having', hosts * 2],
        ['order', 7],
        ['limit', 7],
        ['project', 7],
      ];
      const operators = stats.operators ?? [];
      expect(operators.map(({ name, rows_out }) => [name, rows_out])).to.deep.equal(expected);
      const total = operators.reduce((sum, { elapsed_ms }) => sum + elapsed_ms, 0);
      expect(total).to.be.within(0.001, Number(stats['plan_ms']) + Number(stats['execute_ms']));
      const lines = rows.map(([plan, rowsOut]) => [String(plan).trim().split(' ')[0], rowsOut]);
      expect(lines).to.deep.equal([
        ['limit', 7],
        ['sort', 7],
        ['project', 7],
        ['having', hosts * 2],
        ['fill', hosts * 3],
        ['group', hosts * 2],
        ['samples', mode === 'compiled' ? null : hosts * samplesPerHost],
        ['select', hosts],
      ]);
    });

    it('count a filter and a window if the engine runs them separately', async () => {
      const { stats } = await ask(
        "explain analyze select time, value, lag(value) from m{host='1'} where time >= 0 and value > 4",
      );
      const counted = (stats.operators ?? []).map(({ name, rows_out }) => [name, rows_out]);
      expect(counted).to.deep.equal([
        ['select series', 1],
        ['scan', samplesPerHost],
        ['filter', samplesPerHost - 5],
        ['windows', samplesPerHost - 5],
        ['project', samplesPerHost - 5],
      ]);
      const { stats: labels } = await ask('explain analyze select tag.host from m');
      expect(labels.operators?.[0]).to.include({ name: 'select series', rows_out: hosts });
      const { stats: raw } = await ask(
        "explain analyze select time, value from m{host='1'} where time >= 0",
      );
      const names = (raw.operators ?? []).map(({ name, rows_out }) => [name, rows_out]);
      expect(names).to.deep.equal([
        ['select series', 1],
        ['scan', samplesPerHost],
        ['project', samplesPerHost],
      ]);
    });
  });
}
