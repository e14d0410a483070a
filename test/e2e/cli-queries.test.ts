/** The query commands, as a user types them. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { runAtTerminal, runCli, runProcess, startCli } from '../support/cli.js';
import { Client } from '../support/client.js';
import { refusal, startScriptedServer, type ScriptedAnswer } from '../support/scripted-server.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

describe('the commands that ask a server', function () {
  this.timeout(180_000);
  let dataDir = '';
  let server: Server;
  let env: Record<string, string> = {};

  before(async () => {
    dataDir = temporaryDirectory();
    server = await startServer({ dataDir });
    env = { SDB_URL: server.url };
    const client = new Client(server.port);
    await client.ingest(
      [
        '{"metric":"cpu.load","labels":{"host":"a"},"ts":1700000000000,"value":-0}',
        '{"metric":"cpu.load","labels":{"host":"a"},"ts":1700000000001,"value":0.25}',
        '{"metric":"cpu.load","labels":{"host":"b"},"ts":9007199254740993,"value":1e21}',
      ].join('\n'),
    );
    const many = Array.from(
      { length: 50_000 },
      (_, at) => `{"metric":"many","ts":${String(at)},"value":${String(at)}}`,
    );
    await client.ingest(many.join('\n'));
    client.close();
  });
  after(async () => {
    await killServers();
    removeDirectory(dataDir);
  });

  const table = [
    '           TS  TIME                      VALUE',
    '1700000000000  2023-11-14T22:13:20.000Z     -0',
    '1700000000001  2023-11-14T22:13:20.001Z   0.25',
    '',
  ].join('\n');

  it('query range prints a table, or JSON without a digit lost', async () => {
    const range = ['query', 'range', 'cpu.load', '-l'];
    const shown = await runCli([...range, 'host=a', '--start', '2023-11-14', '--end', 'now'], {
      env,
    });
    assert.deepEqual(shown, { code: 0, out: table, err: '' });
    const json = await runCli([...range, 'host=b', '--json'], { env });
    assert.strictEqual(json.out, '[{"ts":9007199254740993,"value":1e+21}]\n');
    const series = ['query', 'range', '--series', 'cpu.load', '-l', 'host=a', '--json'];
    const signed = '[{"ts":1700000000000,"value":-0}]\n';
    assert.strictEqual((await runCli([...series, '--end', '1700000000000'], { env })).out, signed);
    const none = await runCli(['query', 'range', 'absent'], { env });
    const absent = 'no metric absent; seriesdb find metrics lists all\n';
    assert.deepEqual(none, { code: 0, out: '', err: absent });
    const noJson = await runCli(['query', 'range', 'absent', '--json'], { env });
    assert.strictEqual(noJson.out, '[]\n');
    const bare = await runCli(['query', 'range', 'cpu.load', '--no-labels', '--json'], { env });
    assert.strictEqual(bare.out, '[]\n');
  });

  it('prints long ranges whole in columns, and stops quietly on a closed pipe', async () => {
    const { code, out } = await runCli(['query', 'range', 'many'], { env });
    const lines = out.trimEnd().split('\n');
    assert.deepEqual(
      [code, lines.length, new Set(lines.map((line) => line.length)).size],
      [0, 50_001, 1],
    );
    assert.match(lines.at(-1) ?? '', /^ +49999 {2}1970-01-01T00:00:49.999Z +49999$/);
    const json = await runCli(['query', 'range', 'many', '--json'], { env });
    assert.strictEqual((JSON.parse(json.out) as unknown[]).length, 50_000);
    const { child, result } = startCli(['query', 'range', 'many'], { env });
    child.stdout?.once('data', () => child.stdout?.destroy());
    const cut = await result;
    assert.deepEqual([cut.code, cut.err], [0, '']);
  });

  it('find, health and compare answer from the stored samples', async () => {
    const metrics = await runCli(['find', 'metrics', 'cpu'], { env });
    assert.match(metrics.out, /\ncpu\.load +gauge +- +2 +host +2023-11-14T22:13:20\.000Z /);
    const series = await runCli(['find', 'series', 'cpu.load', '-l', 'host=a'], { env });
    assert.match(series.out, /^ *SERIES_ID .*\n *\d+ {2}cpu\.load +host=a +2023\S+ +2023\S+\n$/);
    const values = await runCli(['find', 'values', 'host'], { env });
    assert.strictEqual(values.out, 'a\nb\n');
    const ids = await runCli(['find', 'ids', '-l', 'host=a', '--json'], { env });
    assert.match(ids.out, /^\[\d+\]\n$/);
    assert.strictEqual((await runCli(['find', 'labels', 'cpu.load'], { env })).out, 'host\n');
    const health = await runCli(['health', 'cpu', '--inactive-before', '2024-01-01'], { env });
    assert.match(health.out, /\ncpu\.load +gauge +2 +1 +active +/);
    const windows = ['--start', '1700000000000', '--end', '1700000000001', '--offset', '1h'];
    const compare = ['compare', 'cpu.load', '-l', 'host=a', '--aggregate', 'sum', ...windows];
    assert.match((await runCli(compare, { env })).out, /\ncurrent .* 2 +0\.25\nbaseline .* 0 +-\n/);
  });

  it('annotate stores notes in the server and lists those that touch a range', async () => {
    const at = ['--start', '2023-11-14T22:13:20Z', '-l', 'host=a'];
    const write = ['annotate', 'write', 'deploy', 'version 2', ...at, '--json'];
    const written = await runCli(write, { env });
    const times = '"start":1700000000000,"end":1700000000000';
    const note = `{"id":1,"kind":"deploy","title":"version 2",${times},"labels":{"host":"a"}}`;
    assert.deepEqual([written.code, written.err, written.out], [0, '', `${note}\n`]);
    const list = async (...more: string[]) =>
      (await runCli(['annotate', 'list', ...more], { env })).out;
    assert.match(await list(), /^ID +KIND .*\n 1 +deploy .* version 2 +- +host=a +-\n$/);
    assert.strictEqual(await list('--json', '--end', '1700000000000'), `[${note}]\n`);
    assert.strictEqual(await list('--json', '--start', '1700000000001'), '[]\n');
    const refused = await runCli(['annotate', 'write', '', 'x'], { env });
    assert.match(refused.err, /^seriesdb: kind must be .* \(invalid_kind\)\n$/);
  });

  it('status summarizes the server in ten lines, and prints everything as JSON', async () => {
    const shown = await runCli(['status', '--url', server.url]);
    assert.strictEqual(shown.code, 0);
    const lines = shown.out.trimEnd().split('\n');
    assert.lengthOf(lines, 10);
    const size = String.raw`[\d.]+ [KMGT]?i?B`;
    const expected = [
      `^server +ok, seriesdb \\d+\\.\\d+\\.\\d+ at ${server.url}, times in ms$`,
      '^up +[\\d.]+ (s|min)$',
      '^series +3$',
      '^samples +50,003, of them 50,003 in memory$',
      '^rate +[\\d,]+ samples/s since the start$',
      `^disk +0 B in segments, 0 B of history; ${size} free$`,
      `^wal +${size} on the disk; ${size} in \\d+ syncs? since the start$`,
      '^segments +0$',
      `^memory +${size} of ${size} \\([\\d.]+%\\)$`,
      '^wrong +nothing$',
    ];
    for (const [at, pattern] of expected.entries()) {
      assert.match(lines[at] ?? '', new RegExp(pattern));
    }
    const json = await runCli(['status', '--json'], { env });
    assert.deepInclude(JSON.parse(json.out), { status: 'ok' });
    assert.property(JSON.parse(json.out), 'runtime');
  });

  it('status --watch prints the rate since its last poll, until Ctrl-C', async () => {
    const { child, result } = startCli(['status', '--watch', '200ms'], { env });
    let out = '';
    await new Promise<void>((resolve) => {
      child.stdout?.on('data', (piece: string) => {
        out += piece;
        if (out.includes('samples/s now')) resolve();
      });
    });
    child.kill('SIGINT');
    assert.strictEqual((await result).code, 0);
    assert.match(
      out,
      /^--- \S+ ---\nserver +ok[^]*since the start\n[^]*--- [^]*\nrate +0 samples\/s now\n/,
    );
  });

  it('reports errors in one sentence, with exit code 2 for wrong arguments', async () => {
    const wrong: [readonly string[], RegExp][] = [
      [['query', 'range', 'cpu.load'], /cpu\.load.*\(ambiguous_selector\)$/],
      [['query', 'range'], /name one series: a metric, --series or --series-id$/],
      [['query', 'range', 'm', '--series-id', '1'], /name one series/],
      [['query', 'range', '--series-id', '-1'], /--series-id must be an unsigned 64-bit integer$/],
      [
        ['query', 'range', 'm', '--start', 'soon'],
        /--start must be an integer, an ISO time.*"soon"/,
      ],
      [['query', 'range', 'm', '--start', '2', '--end', '1'], /\(invalid_time_range\)$/],
      [['query', 'range', 'm', '-l', 'host'], /It must be key=value/],
      [['query', 'range', 'm', '--unit', 's'], /unknown option '--unit'/],
      [
        ['find', 'metrics', '--token', 'x'],
        /in the list of processes;.* --token-file, or into SDB_TOKEN$/,
      ],
      [['compare', 'm', '--start', '0'], /--end is required$/],
      [['compare', 'm', '--start', '0', '--end', '1'], /--offset is required, or --baseline-start/],
      [['compare', 'm', '--aggregate', 'median'], /--aggregate must be one of last, avg/],
      [
        ['compare', 'm', '--start', '0', '--end', '1', '--offset', 'long'],
        /--offset must be a dur/,
      ],
      [['status', '--url', 'localhost'], /address must be like http:\/\/127\.0\.0\.1:8080/],
      [['status', '--url', 'http://127.0.0.1:1'], /no server answers at http:\/\/127\.0\.0\.1:1 /],
      [['ingest', '--on-error', 'maybe'], /Allowed choices are stop, skip/],
      [['find', 'metrics', '--limit', 'x'], /It must be an integer of at least 0/],
    ];
    for (const [args, sentence] of wrong) {
      const { code, out, err } = await runCli(args, { env });
      const isOfServer = /\\\(|no server/.test(sentence.source);
      assert.deepEqual([code, out], [isOfServer ? 1 : 2, ''], args.join(' '));
      assert.match(err.trimEnd(), sentence);
      assert.strictEqual(err.trimEnd().split('\n').length, 1, err);
    }
  });

  it('--help of every command states its purpose', async () => {
    const { code, out } = await runCli(['--help']);
    assert.strictEqual(code, 0);
    for (const name of [
      'serve',
      'ingest',
      'query',
      'find',
      'health',
      'compare',
      'annotate',
      'status',
    ]) {
      assert.match(out, new RegExp(`^  ${name}\\b`, 'm'));
      const help = await runCli([name, '--help']);
      assert.deepEqual([help.code, help.err], [0, '']);
      assert.match(help.out, new RegExp(`^Usage: seriesdb ${name} `));
    }
  });
});

describe('the commands against written answers', function () {
  this.timeout(180_000);

  async function ask(answer: ScriptedAnswer, args: readonly string[], env = {}, unit = 'ms') {
    const server = await startScriptedServer([answer], { unit });
    const result = await runCli([...args, '--url', server.url], { env });
    server.close();
    return { ...result, asked: server.asked };
  }

  it('find metrics, series, labels, values and ids', async () => {
    const metrics =
      '[{"metric":"cpu","kind":"gauge","unit":"%","series_count":2,"label_keys":["host","zone"],' +
      '"first_ts":0,"last_ts":1700000000000},{"metric":"evil\\u001b[2J","kind":"counter",' +
      '"series_count":1,"label_keys":["host"],"first_ts":null,"last_ts":null}]';
    const found = await ask({ body: metrics }, [
      'find',
      'metrics',
      'c',
      '-l',
      'host=a',
      '--limit',
      '5',
    ]);
    assert.strictEqual(
      found.out,
      [
        'METRIC         KIND     UNIT  SERIES  LABELS      FIRST                     LAST                      DESCRIPTION',
        'cpu            gauge    %          2  host, zone  1970-01-01T00:00:00.000Z  2023-11-14T22:13:20.000Z  -',
        'evil\\u001b[2J  counter  -          1  host        -                         -                         -',
        '',
      ].join('\n'),
    );
    assert.strictEqual(found.asked[0]?.body, '{"prefix":"c","labels":{"host":"a"},"limit":5}');
    const keys = await ask({ body: metrics }, ['find', 'labels']);
    assert.strictEqual(keys.out, 'host\nzone\n');
    const series =
      '[{"series_id":9007199254740991,"metric":"cpu","labels":{"zone":"z","host":"a"},' +
      '"first_ts":1,"last_ts":9223372036854775807}]';
    const list = await ask({ body: series }, ['find', 'series', 'cpu', '--op', 'or'], {}, 's');
    assert.include(
      list.out,
      '9007199254740991  cpu     host=a, zone=z  1970-01-01T00:00:01Z  9223372036854775807',
    );
    assert.strictEqual(list.asked[0]?.body, '{"metric":"cpu","op":"or"}');
    const raw = await ask({ body: series }, ['find', 'series', 'cpu', '--json']);
    assert.strictEqual(raw.out, `${series}\n`);
    const values = await ask({ body: '{"values":["a","b"]}' }, ['find', 'values', 'host']);
    assert.strictEqual(values.out, 'a\nb\n');
    const ids = await ask({ body: '[18446744073709551615]' }, ['find', 'ids', '-l', 'host=a']);
    assert.strictEqual(ids.out, '18446744073709551615\n');
    assert.strictEqual(ids.asked[0]?.body, '{"tags":{"host":"a"}}');
    const nothing = await ask({ body: '[]' }, ['find', 'metrics']);
    assert.deepEqual([nothing.code, nothing.out, nothing.err], [0, '', 'nothing found\n']);
  });

  it('health', async () => {
    const body =
      '[{"metric":"cpu","kind":"gauge","series_count":2,"inactive_series_count":1,"inactive":false,' +
      '"label_keys":["host"],"missing_metadata":["unit","description"],"first_ts":0,"last_ts":5}]';
    const args = ['health', '--inactive-before', '1970-01-01T00:00:01Z'];
    const { out, asked } = await ask({ body }, args);
    assert.match(out, /^METRIC +KIND +SERIES +INACTIVE +STATE +MISSING +FIRST +LAST\n/);
    assert.match(out, /\ncpu +gauge +2 +1 +active +unit, description +1970\S+ +1970\S+\n$/);
    assert.strictEqual(asked[0]?.body, '{"inactive_before_ts":1000}');
  });

  it('compare', async () => {
    const body =
      '{"series_id":7,"metric":"cpu","labels":{"host":"a"},"aggregate":"avg","metric_kind":"gauge",' +
      '"current":{"start":86400000,"end":90000000,"samples":3,"value":1.5},' +
      '"baseline":{"start":0,"end":3600000,"samples":0,"value":null},' +
      '"change_abs":null,"change_pct":12.345}';
    const times = ['--start', '1970-01-02', '--end', '1970-01-02T01:00Z', '--offset', '1d'];
    const { out, asked } = await ask({ body }, ['compare', 'cpu', '-l', 'host=a', ...times]);
    assert.match(
      out,
      /^WINDOW +FROM +TO +SAMPLES +AVG\ncurrent +1970\S+ +\S+ +3 +1.5\nbaseline .* 0 +-\n/,
    );
    assert.match(out, /\nseries +cpu host=a\nkind +gauge\nchange +-\nchange % +12.35\n$/);
    const below = body
      .replace('"value":null', '"value":-1.576')
      .replace('"change_abs":null,"change_pct":12.345', '"change_abs":0.404,"change_pct":-25.63');
    const risen = await ask({ body: below }, ['compare', 'cpu', '-l', 'host=a', ...times]);
    assert.match(risen.out, /\nchange +0.404\nchange % +25.63\n$/);
    assert.strictEqual(
      asked[0]?.body,
      '{"metric":"cpu","labels":{"host":"a"},"start":86400000,"end":90000000,' +
        '"baseline_start":0,"baseline_end":3600000,"aggregate":"avg"}',
    );
  });

  it('status says what is wrong, and fails', async () => {
    const body =
      '{"status":"degraded","reasons":["the disk is full","2 segments are damaged"],' +
      '"warnings":["no token is set"],"version":"9.9.9","timestamp_unit":"ns","uptime_seconds":183845,' +
      '"runtime":{"ingest_total":1838450,"ingest_rejected_total":7,"wal_bytes_total":0},' +
      '"storage":{"segments":3,"segments_quarantined":2,"segment_samples":1000,"writes_blocked":1},' +
      '"memory":{}}';
    const server = await startScriptedServer([{ body }, { body: '{"status":"ok"}' }]);
    const { code, out } = await runCli(['status', '--url', server.url]);
    assert.strictEqual(code, 1);
    assert.match(out, /^server +degraded, refuses writes, seriesdb 9\.9\.9 at /);
    assert.match(out, /\nup +2 d 3 h\n[^]*\nrate +10 samples\/s since the start; 7 refused\n/);
    assert.match(out, /\nsegments +3, and 2 damaged\n/);
    assert.match(
      out,
      /\nwrong +the disk is full\nwrong +2 segments are damaged\nwarning +no token is set\n$/,
    );
    const older = await runCli(['status', '--url', server.url]);
    server.close();
    assert.match(older.out, /\nseries +-\nsamples +-\n/);
  });

  it('annotate write and list', async () => {
    const note =
      '{"id":1,"kind":"deploy","title":"v2\\nx","message":"m","labels":{"host":"a"},"start":0,"end":0}';
    const args = ['annotate', 'write', 'deploy', 'v2', '--start', '0', '-l', 'host=a'];
    const written = await ask({ status: 201, body: note }, args);
    assert.match(
      written.out,
      /^ID +KIND +FROM +TO +TITLE .*\n 1 +deploy +1970\S+ +1970\S+ +v2\\u000ax +- +host=a +m\n$/,
    );
    assert.strictEqual(
      written.asked[0]?.body,
      '{"kind":"deploy","title":"v2","start":0,"labels":{"host":"a"}}',
    );
    const listed = await ask({ body: `[${note}]` }, [
      'annotate',
      'list',
      '--kind',
      'deploy',
      '--json',
    ]);
    assert.strictEqual(listed.out, `[${note}]\n`);
    assert.strictEqual(listed.asked[0]?.body, '{"kind":"deploy"}');
  });

  it('send the token of the file or the environment, and say when it is missing', async () => {
    const refused = await ask(refusal('unauthorized', 401, 'no'), ['find', 'metrics']);
    assert.strictEqual(refused.err, 'seriesdb: no; give it with --token-file or in SDB_TOKEN\n');
    const byEnv = await ask({ body: '[]' }, ['find', 'metrics'], { SDB_TOKEN: 's1' });
    assert.strictEqual(byEnv.asked[0]?.headers.authorization, 'Bearer s1');
    const file = path.join(temporaryDirectory(), 'token');
    writeFileSync(file, 's2\n');
    const byFile = await ask({ body: '[]' }, ['find', 'metrics', '--token-file', file], {
      SDB_TOKEN: 's1',
    });
    assert.strictEqual(byFile.asked[0]?.headers.authorization, 'Bearer s2');
    for (const text of ['', 'two\nlines', 'a b']) {
      writeFileSync(file, text);
      const { err } = await ask({ body: '[]' }, ['find', 'metrics', '--token-file', file]);
      assert.match(err, /^seriesdb: --token-file: .* must hold one line, the token\n$/);
    }
    const missing = await ask({ body: '[]' }, ['find', 'metrics', '--token-file', `${file}.no`]);
    assert.match(missing.err, /^seriesdb: --token-file: cannot read .*: there is no such file\n$/);
  });

  it('read now and print times in the unit of the server', async () => {
    const note = '{"id":1,"kind":"k","title":"t","labels":{},"start":1700000000,"end":1700000000}';
    const args = ['annotate', 'write', 'k', 't'];
    const before = Math.floor(Date.now() / 1000);
    const { out, asked } = await ask({ status: 201, body: note }, args, {}, 's');
    const { start } = JSON.parse(asked[0]?.body ?? '{}') as { readonly start: number };
    assert.isAtLeast(start, before);
    assert.isAtMost(start, Date.now() / 1000);
    assert.include(out, '2023-11-14T22:13:20Z');
    const older = await ask({ body: '[]' }, ['find', 'metrics'], {}, 'fortnights');
    assert.match(older.err, /does not say its timestamp_unit; is it an older version\?\n$/);
  });

  it('escape control and invisible characters in tables and errors', async () => {
    const hostile = 'a\u001b[31m\u009b\u202e\u2066\u200b\u2060\u{e0041}\ufeffz';
    const plain = 'a\\u001b[31m\\u009b\\u202e\\u2066\\u200b\\u2060\\udb40\\udc41\\ufeffz';
    const table = await ask({ body: JSON.stringify({ values: [hostile] }) }, [
      ...['find', 'values', 'host'],
    ]);
    assert.strictEqual(table.out, `${plain}\n`);
    const refusing = await startScriptedServer([refusal('invalid_key', 400, `no ${hostile}`)]);
    const refused = await runProcess(['find', 'labels', '--url', refusing.url]);
    refusing.close();
    assert.strictEqual(refused.err, `seriesdb: no ${plain} (invalid_key)\n`);
    const unknown = await runProcess(['find', 'metrics', `--${hostile}`]);
    assert.include(unknown.err, `unknown option '--${plain}'`);
    const query = await ask(
      {
        body: JSON.stringify({ columns: [{ name: hostile, type: 'string' }], rows: [], stats: {} }),
      },
      ['query', 'select 1'],
    );
    assert.strictEqual(
      query.out,
      `${plain.replace('a', 'A').replace('m', 'M').replace('z', 'Z')}\n`,
    );
  });

  it('escape them in CSV and JSON on a terminal only, and pipe the bytes unchanged', async () => {
    const csv = 'name\r\na\u001b[31m\u202e\tz\r\n';
    const server = await startScriptedServer([{ body: csv }]);
    const args = ['query', 'select 1', '--format', 'csv', '--url', server.url];
    const piped = await runCli(args);
    assert.strictEqual(piped.out, csv);
    // A separate terminal: its driver writes each newline as two characters.
    const atTerminal = await runAtTerminal(args);
    assert.strictEqual(
      atTerminal.replaceAll('\r\n', '\n'),
      'name\\u000d\na\\u001b[31m\\u202e\tz\\u000d\n',
    );
    server.close();
  });

  it('end at once on Ctrl-C', async () => {
    // The longest Retry-After that a command waits for.
    const answer = { status: 503, headers: { 'retry-after': '10' }, body: '{}' };
    const server = await startScriptedServer([answer], { unit: 'ms' });
    const { child, result } = startCli(['find', 'metrics', '--url', server.url]);
    while (server.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGINT');
    const { code, err } = await result;
    server.close();
    assert.deepEqual([code, err], [130, 'seriesdb: interrupted\n']);
  });
});
