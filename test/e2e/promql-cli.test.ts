/** `seriesdb query --promql` against a server. */
import { assert } from 'chai';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { openTerminal, runCli, startCli, type CliResult } from '../support/cli.js';
import { Client } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

const kStart = 1_700_000_000_000;

describe('seriesdb query --promql', function () {
  this.timeout(120_000);
  const directory = temporaryDirectory();
  let env: Record<string, string> = {};
  before(async () => {
    const server = await startServer({ dataDir: path.join(directory, 'db') });
    env = { SDB_URL: server.url };
    const client = new Client(server.port);
    const lines = Array.from({ length: 41 }, (_, at) =>
      ['api', 'db'].map(
        (job) =>
          `{"metric":"sent_total","labels":{"job":"${job}"},"ts":${kStart + at * 15_000},` +
          `"value":${at * (job === 'api' ? 15 : 30)}}\n`,
      ),
    );
    await client.ingest(lines.flat().join(''));
    client.close();
  });
  after(async () => {
    await killServers();
    removeDirectory(directory);
  });
  const query = (args: readonly string[], input?: string): Promise<CliResult> =>
    runCli(['query', ...args], { env, ...(input === undefined ? {} : { input }) });
  const rate = 'round(rate(sent_total[2m]), 0.5)';
  const asked = (...more: readonly string[]): Promise<CliResult> =>
    query(['--promql', rate, ...more]);
  const instant = ['--time', '2023-11-14T22:20:00Z'];
  const range = ['--start', `${kStart + 300_000}`, '--end', `${kStart + 420_000}`, '--step', '1m'];

  it("reports an empty result, and the time of the metric's last sample", async () => {
    const none = await query(['--promql', 'absent_total', ...instant]);
    assert.deepEqual(none, { code: 0, out: '', err: 'no series\n' });
    const old = await query(['--promql', 'sent_total{job="api"}']);
    const ended = (whose: string): string =>
      `no series: the last sample of ${whose} is at 2023-11-14T22:23:20.000Z; ` +
      'PromQL looks back 5m by default\n';
    assert.deepEqual(old, { code: 0, out: '', err: ended('the matching series') });
    const { err } = await query(['--promql', 'sent_total']);
    assert.strictEqual(err, ended('sent_total'));
    const json = await query(['--promql', 'sent_total', '--json']);
    assert.deepInclude(json, { code: 0, err: '' });
  });

  it('says that a range holds too few samples', async () => {
    const short = await query(['--promql', 'sum(rate(sent_total{job="api"}[14s]))', ...instant]);
    const few = 'rate needs two samples within 14s; sent_total{job="api"} has one';
    assert.strictEqual(short.err, `no series: ${few}: write a longer range\n`);
    const old = await query(['--promql', 'sum(increase(sent_total[90s]))']);
    const ended = 'the last sample of sent_total is at 2023-11-14T22:23:20.000Z';
    assert.strictEqual(old.err, `no series: ${ended}; increase looks back 90s\n`);
  });

  it('names the label of a matcher that no series has', async () => {
    const reasons = [
      ['job="nope"', 'no series of sent_total has job="nope"; job is one of api, db'],
      [
        'job="abi"',
        'no series of sent_total has job="abi" (did you mean "api"?); job is one of api, db',
      ],
      ['job="api", host="a"', 'no series of sent_total has a label host; labels are job'],
    ] as const;
    for (const [matchers, reason] of reasons) {
      const { err } = await query(['--promql', `sent_total{${matchers}}`, ...instant]);
      assert.strictEqual(err, `no series: ${reason}\n`);
    }
    const { err } = await query(['--promql', 'sent_total{job=~"nope"}', ...instant]);
    assert.strictEqual(err, 'no series\n');
  });

  it('answers at one time as a table, CSV, lines and JSON', async () => {
    const table = 'JOB  VALUE\napi      1\ndb       2\n';
    assert.deepEqual(await asked(...instant), { code: 0, out: table, err: '' });
    assert.deepEqual(await asked(...instant, '--format', 'csv'), {
      ...{ code: 0, out: 'job,value\r\napi,1\r\ndb,2\r\n', err: '' },
    });
    const { out } = await asked(...instant, '--format', 'ndjson');
    assert.strictEqual(
      out,
      '{"metric":{"job":"api"},"time":1700000400000,"value":1}\n' +
        '{"metric":{"job":"db"},"time":1700000400000,"value":2}\n',
    );
    const json = await asked(...instant, '--json');
    assert.strictEqual(
      json.out,
      '{"status":"success","data":{"resultType":"vector","result":[' +
        '{"metric":{"job":"api"},"value":[1700000400,"1"]},' +
        '{"metric":{"job":"db"},"value":[1700000400,"2"]}]}}\n',
    );
  });

  it('answers over a range', async () => {
    assert.strictEqual(
      (await asked(...range)).out,
      'TIME                      {job="api"}  {job="db"}\n' +
        '2023-11-14T22:18:20.000Z            1           2\n' +
        '2023-11-14T22:19:20.000Z            1           2\n' +
        '2023-11-14T22:20:20.000Z            1           2\n',
    );
    const { out } = await asked(...range, '--format', 'csv');
    assert.strictEqual(
      out.split('\r\n').slice(0, 2).join('\n'),
      'job,time,value\napi,1700000300000,1',
    );
    const chart = await asked(...range, '--format', 'chart');
    assert.match(chart.out, /^LINE +VALUES +MIN +MAX +LAST\n\{job="api"\} .* 1 +1 +1\n/);
    const json = await asked(...range, '--format', 'json');
    assert.match(json.out, /^\{"status":"success","data":\{"resultType":"matrix".*\}\n$/);
  });

  it('answers with a number or a text, at the present time by default', async () => {
    assert.strictEqual((await query(['--promql', '1 / 0'])).out, 'VALUE\n +Inf\n');
    assert.strictEqual(
      (await query(['--promql', '0 - 1 / 0', '--format', 'csv'])).out,
      'value\r\n-Inf\r\n',
    );
    assert.strictEqual(
      (await query(['--promql', '"a,b"', '--format', 'csv'])).out,
      'value\r\n"a,b"\r\n',
    );
    assert.match(
      (await query(['--promql', '0 / 0', '--format', 'ndjson'])).out,
      /^\{"metric":\{\},"time":\d+,"value":"NaN"\}\n$/,
    );
  });

  it('reads a whole file or pipe as one expression', async () => {
    const file = path.join(directory, 'rate.promql');
    writeFileSync(file, `# what is sent\nsum(\n  ${rate}\n)\n`);
    assert.strictEqual((await query(['--promql', '-f', file, ...instant])).out, 'VALUE\n    3\n');
    const piped = await query(['--promql', ...instant], `sum(${rate})`);
    assert.strictEqual(piped.out, 'VALUE\n    3\n');
  });

  it('marks the position of an error in the expression', async () => {
    const { code, out, err } = await query(['--promql', '"é" + ?']);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /^seriesdb: line 1, column 7: parse error: .*\n {2}"é" \+ \?\n {8}\^/);
    const piped = await query(['--promql'], '1 +\n  (é\n');
    assert.match(piped.err, /^seriesdb: standard input:2:4: parse error: .*\n {4}\(é\n {5}\^/);
    const late = await query(['--promql', 'sent_total * on () sent_total', ...instant]);
    assert.match(late.err, /^seriesdb: found duplicate series for .* \(execution\)\n$/);
  });

  it('prints warnings to stderr', async () => {
    const { code, err } = await query(['--promql', 'quantile(2, sent_total)', ...instant]);
    assert.strictEqual(code, 0);
    assert.match(err, /^PromQL warning: quantile value should be between 0 and 1, got 2 .*\n$/);
  });

  it('rejects flags that contradict each other', async () => {
    for (const [args, told] of [
      [['--promql', '1', '--as-of', 's'], /--as-of is for SeriesQL/],
      [['--promql', '1', '--keep-going'], /--keep-going is for several statements/],
      [['--promql', '1', '-f', 'x'], /either a statement or a --file/],
      [['--promql', '1', '--time', '5', '--start', '5'], /either --time, or --start/],
      [['--promql', '1', '--end', '5', '--step', '1m'], /--start is required/],
      [['--promql', '1', '--start', '5'], /a range needs a --step/],
      [['--promql', '1', '--start', '5', '--step', '0s'], /--step must be a duration/],
      [['--promql', '1', '--time', 'noon'], /--time must be an integer, an ISO time/],
      [['--promql', '1', '--watch', '2'], /--watch must be a duration/],
      [['select 1', '--step', '1m'], /--step is for --promql/],
    ] as const) {
      const { code, err } = await query(args);
      assert.strictEqual(code, 2, args.join(' '));
      assert.match(err, told);
    }
    const chart = await query(['--promql', '1', '--format', 'chart']);
    assert.deepEqual(chart.code, 1);
    assert.match(chart.err, /a chart needs values over time/);
    const prompt = openTerminal(['query', '--promql'], env);
    await prompt.seen(/--promql needs an expression, or a --file/);
    assert.strictEqual(await prompt.ended, 2);
  });

  it('repeats the query with --watch', async () => {
    const args = ['query', '--promql', '--watch', '100ms', '--format', 'csv', '7'];
    const { child, result } = startCli(args, { env });
    let out = '';
    await new Promise<void>((resolve) => {
      child.stdout?.on('data', (piece: string) => {
        out += piece;
        if (out.split('---\n').length > 3) resolve();
      });
    });
    child.kill('SIGINT');
    assert.deepEqual([(await result).code, (await result).err], [0, '']);
    assert.match(out, /^--- \S+Z ---\nvalue\r\n7\r\n--- \S+ ---\nvalue\r\n7\r\n/);
  });
});
