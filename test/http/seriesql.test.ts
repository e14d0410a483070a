import { expect } from 'chai';

import { Client, type Answer } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const path = '/api/v1/seriesql';

interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly status: number;
}

const errorOf = (answer: Answer): ErrorBody => JSON.parse(answer.body) as ErrorBody;

const lines = [
  '{"metric":"cpu.user","labels":{"host":"a"},"ts":9007199254740993,"value":1.5}',
  '{"metric":"cpu.user","labels":{"host":"a"},"ts":1000,"value":1}',
  '{"metric":"cpu.user","labels":{"host":"b, \\"c\\""},"ts":1000,"value":-0}',
  '{"metric":"hits","labels":{},"ts":0,"value":5,"kind":"counter"}',
  '{"metric":"hits","labels":{},"ts":10000,"value":2}',
  '{"series":"room","tags":{"floor":"1"},"ts":5,"value":1e21}',
];

describe(`${path} of a real server`, () => {
  const directory = temporaryDirectory();
  let server: Server;
  let client: Client;
  before(async () => {
    const args = ['--max-query-rows', '50', '--max-query-series', '3'];
    server = await startServer({ dataDir: directory, args });
    client = new Client(server.port);
    await client.ingest(lines.join('\n'));
  });
  after(async () => {
    client.close();
    await killServers();
    removeDirectory(directory);
  });
  const query = (text: string, accept?: string): Promise<Answer> =>
    client.request('POST', path, {
      body: text,
      ...(accept === undefined ? {} : { headers: { accept } }),
    });
  const rowsOf = (answer: Answer): string => {
    expect(answer.status, answer.body).to.equal(200);
    return /"rows":(.*),"stats"/.exec(answer.body)?.[1] ?? '';
  };

  it('begins the hint at an unknown column with the label of that name', async () => {
    const hintOf = async (text: string): Promise<string> => {
      const answer = await query(text);
      expect(answer.status).to.equal(400);
      return /hint: (.*)/.exec(errorOf(answer).error)?.[1] ?? '';
    };
    expect(await hintOf('select host from cpu.user')).to.equal('write tag.host');
    expect(await hintOf('select value from cpu.* where hst = 1')).to.equal(
      'did you mean tag.host?',
    );
    expect(await hintOf('explain select "host" from cpu.user')).to.equal('write tag.host');
    expect(await hintOf('delete from cpu.user where host = 1')).to.equal('write tag.host');
    expect(await hintOf('select valu from cpu.user')).to.equal('did you mean value?');
    expect(await hintOf('select floor from cpu.user')).to.match(/^a label is tag\.floor,/);
  });

  it('accepts a statement as the member "query" of a JSON object', async () => {
    const asked = await query('\n {"query": "select last(value) from \\"cpu.user\\"{host=\'a\'}"}');
    expect(rowsOf(asked)).to.equal('[[1.5]]');
    const codeOf = async (body: string): Promise<string> => errorOf(await query(body)).code;
    expect(await codeOf('{"q":"select 1"}')).to.equal('query_required');
    expect(await codeOf('{"query":1}')).to.equal('query_required');
    expect(await codeOf('{"query":"select 1"')).to.equal('invalid_json');
    expect(await codeOf('{"query":"select\t1"}')).to.equal('invalid_json');
    expect(await codeOf('{"query":"select 1","query":"select 2"}')).to.equal('invalid_json');
    expect((await query('{"query":"select 1"}')).status).to.equal(200);
    expect((await query(' { "query" : "select\\u0020\\"time\\" from m" }\n')).body).to.include(
      'validation_failed',
    );
    expect(await codeOf('{"query":"selec 1"}')).to.equal('parse_failed');
  });

  it('suggests a metric for an unknown name', async () => {
    const hintOf = async (text: string): Promise<string | undefined> =>
      /^hint: (.*)$/m.exec(errorOf(await query(text)).error)?.[1];
    expect(await hintOf('select last(value) from cpu.usre')).to.equal('did you mean cpu.user?');
    expect(await hintOf("select last(value) from cpu.user{host='z'}")).to.equal(
      'cpu.user has no such series; write show series from cpu.user',
    );
    expect(await hintOf('select last(value) from chlorine')).to.equal(
      'show metrics lists the metrics',
    );
    const compared = await client.request('POST', '/api/v1/query/compare', {
      body: JSON.stringify({
        ...{ metric: 'cpu.usre', aggregate: 'avg' },
        ...{ start: 0, end: 1, baseline_start: 0, baseline_end: 1 },
      }),
    });
    expect(errorOf(compared).error).to.equal(
      'no series matches the selector; did you mean cpu.user?',
    );
  });

  it('says which functions only PromQL has, and suggests a similar name', async () => {
    const hintOf = async (call: string): Promise<string | undefined> => {
      const text = `select ${call} from hits where time >= 0`;
      return /^hint: (.*)$/m.exec(errorOf(await query(text)).error)?.[1];
    };
    expect(await hintOf('Histogram_Quantile(0.9, value)')).to.equal(
      'PromQL has histogram_quantile: ask /api/v1/query',
    );
    expect(await hintOf('predict_linear(value, 60)')).to.equal(
      'PromQL has predict_linear: ask /api/v1/query',
    );
    expect(await hintOf('sgn(value)')).to.equal(
      'did you mean sign? PromQL has sgn: ask /api/v1/query',
    );
    expect(await hintOf('smu(value)')).to.equal('did you mean sum?');
    expect(await hintOf('nothing_near(value)')).to.equal('docs/seriesql.md lists the functions');
  });

  it('reads a textual time as local time of a zone', async () => {
    const zoned = (text: string): string => `select ${text} at time zone 'Europe/Berlin'`;
    for (const [text, moment] of [
      ["'2026-11-28 01:00'", '2026-11-28T00:00:00Z'],
      ['2026-07-01T00:00:00.5', '2026-06-30T22:00:00.5Z'],
      ["'2026-07-01'", '2026-06-30T22:00:00Z'],
      // Local times that clocks skip, and that they show twice.
      ['2026-03-29T02:30', '2026-03-29T01:30:00Z'],
      ['2026-10-25T02:30', '2026-10-25T00:30:00Z'],
      ['1969-12-31T23:59:59.999', '1969-12-31T22:59:59.999Z'],
    ] as const) {
      expect(rowsOf(await query(zoned(text))), text).to.equal(`[[${Date.parse(moment)}]]`);
    }
    const bound = "select count(*) from cpu.user where time >= '1970-01-01 01:00:01' AT TIME ZONE";
    expect(rowsOf(await query(`${bound} 'Europe/Berlin' and time < 1001`))).to.equal('[[2]]');
    const refused = [
      [zoned("'2026-11-28T01:00Z'"), 'this is no time without a zone'],
      [zoned('2026-11-28T01:00+05:00'), 'this is no time without a zone'],
      [zoned("'yesterday'"), 'this is no time without a zone'],
      ["select '2026-11-28' at time zone 'Mars/Base'", 'no such time zone'],
      ["select '2026-11-28' at time zone", 'no such time zone'],
      ["select time at time zone 'UTC' from m", 'seriesdb query --tz prints times in a zone'],
      ["select max(time) at time zone 'UTC' from m", 'at time zone is for a time in quotes'],
    ] as const;
    for (const [text, why] of refused) expect(errorOf(await query(text)).error).to.include(why);
  });

  it('lists metrics from the index, with the true count of series', async () => {
    const show = async (rest: string): Promise<{ rows: unknown; count: unknown }> => {
      const { status, body } = await client.request('POST', path, { body: `show metrics ${rest}` });
      expect(status, body).to.equal(200);
      const { rows, stats } = JSON.parse(body) as {
        rows: unknown;
        stats: { selected_series_count: number };
      };
      return { rows, count: stats.selected_series_count };
    };
    // Pairs: a query that the index alone answers, and an equal one that looks at each series.
    const pairs = [
      ['', "where metric != 'none'", [['cpu.user'], ['hits'], ['room']], 4],
      ["where tag.host = 'a'", "where tag.host =~ '^a$'", [['cpu.user']], 1],
      ["where tag.host != 'a'", "where tag.host !~ '^a$'", [['cpu.user']], 1],
      ["where tag.host = 'none'", "where tag.host =~ '^none$'", [], 0],
    ] as const;
    for (const [byIndex, bySeries, rows, count] of pairs) {
      expect(await show(byIndex), byIndex).to.deep.equal({ rows, count });
      expect(await show(bySeries), bySeries).to.deep.equal({ rows, count });
    }
  });

  it('gives the position of a name that cannot be stored', async () => {
    const texts = [
      `insert into "${'n'.repeat(256)}" values (1, 1)`,
      `insert into x{"${'k'.repeat(256)}"='v'} values (1, 1)`,
      'insert into "a\tb" values (1, 1)',
      `insert into x{${Array.from({ length: 65 }, (_, at) => `k${at}='v'`).join(',')}} values (1, 1)`,
    ];
    for (const text of texts) {
      const { code, status, error } = errorOf(await query(text));
      expect([code, status], error).to.deep.equal(['validation_failed', 400]);
      expect(error).to.match(/^line 1, column 1: [^:]*\n {2}insert into/);
    }
    expect(rowsOf(await query("show metrics where metric = 'x'"))).to.equal('[]');
  });

  it('answers columns, rows and stats, integers exact', async () => {
    const answer = await query("select time, value from cpu.user{host='a'} where time >= 0");
    expect(answer.headers['content-type']).to.equal('application/json');
    expect(answer.body).to.match(
      /^\{"columns":\[\{"name":"time","type":"timestamp","nullable":false\},/,
    );
    expect(rowsOf(answer)).to.equal('[[1000,1],[9007199254740993,1.5]]');
    const { stats } = JSON.parse(answer.body) as { stats: Record<string, unknown> };
    expect(stats).to.include({
      rows_emitted: 2,
      rows_scanned: 2,
      series_scanned: 1,
      selector_mode: 'exact',
      selected_series_count: 1,
    });
    expect(stats).to.have.property('parse_ms').that.is.a('number');
  });

  it('finds series by labels, patterns and families, including legacy lines', async () => {
    const byPattern = await query("select tag.host from cpu.* where tag.host =~ '^b'");
    expect(rowsOf(byPattern)).to.equal('[["b, \\"c\\""]]');
    expect(rowsOf(await query("select value from room{floor='1'} where time = 5"))).to.equal(
      '[[1e21]]',
    );
    expect(rowsOf(await query('show metrics'))).to.equal('[["cpu.user"],["hits"],["room"]]');
  });

  it('knows which metrics are counters', async () => {
    expect(rowsOf(await query('select increase(value) from hits where time >= 0'))).to.equal(
      '[[2]]',
    );
  });

  it('answers CSV and NDJSON on request', async () => {
    const text = 'select tag.host, value, value from cpu.user where time = 1000';
    const csv = await query(text, 'text/csv');
    expect(csv.headers['content-type']).to.equal('text/csv; charset=utf-8');
    expect(csv.body).to.equal('tag.host,value,value\r\na,1,1\r\n"b, ""c""",-0,-0\r\n');
    const ndjson = await query(text, 'text/html;q=0.9, application/x-ndjson;q=0.8');
    expect(ndjson.body).to.equal(
      '{"tag.host":"a","value":1,"value_2":1}\n' +
        '{"tag.host":"b, \\"c\\"","value":-0,"value_2":-0}\n',
    );
  });

  it('stores the rows of INSERT, and reads them at once', async () => {
    const inserted = await query("insert into room{floor='2'} values (7, 1.5), (8, -2)");
    expect(rowsOf(inserted)).to.equal('[[2]]');
    const answer = await query("select time, value from room{floor='2'} where time >= 0");
    expect(rowsOf(answer)).to.equal('[[7,1.5],[8,-2]]');
  });

  const refused: readonly (readonly [string, number, string])[] = [
    ['', 400, 'query_required'],
    [' -- nothing', 400, 'query_required'],
    ['select', 400, 'parse_failed'],
    ['select nothing', 400, 'validation_failed'],
    ['update a', 400, 'unsupported_statement'],
    ['select value from nothing where time > 0', 404, 'series_not_found'],
    ['select value from cpu.user where time > 0', 409, 'ambiguous_selector'],
    ['select series_id, value from by_id(1) where time > 0', 404, 'series_not_found'],
    [`select '${'x'.repeat(65_536)}'`, 413, 'query_too_large'],
    [
      'select time_bucket(1ms, time), count(*) from hits where time between 0 and 99 ' +
        'group by 1 fill(0)',
      422,
      'query_limit_exceeded',
    ],
  ];
  for (const [text, status, code] of refused) {
    it(`answers ${code} to ${text.slice(0, 50)}`, async () => {
      const error = errorOf(await query(text));
      expect(error).to.include({ status, code });
      expect(Object.keys(error)).to.deep.equal(['error', 'code', 'status']);
    });
  }

  it('accepts a text of 65,536 bytes', async () => {
    const head = 'select 1 -- ';
    expect((await query(head + 'x'.repeat(65_536 - head.length))).status).to.equal(200);
    expect((await query(head + 'x'.repeat(65_537 - head.length))).status).to.equal(413);
  });

  it('rejects bytes that are not UTF-8', async () => {
    const answer = await client.request('POST', path, { body: Uint8Array.of(0x73, 0xff) });
    expect(errorOf(answer).code).to.equal('parse_failed');
  });

  it('counts compiled queries and fallbacks', async () => {
    const read = async (): Promise<Record<string, number>> =>
      (JSON.parse((await client.get('/status')).body) as { runtime: Record<string, number> })
        .runtime;
    const before = await read();
    await query('explain select 1');
    const after = await read();
    const grown = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0);
    expect(grown('query_compile_attempts_total')).to.equal(1);
    expect(grown('query_compile_fallback_total')).to.equal(1);
    expect(grown('query_compile_unsupported_total')).to.equal(1);
  });
});
