/** Tables over HTTP: stored samples, answers, and errors of bad tables. */
import { gzipSync } from 'node:zlib';

import { expect } from 'chai';

import { parseColumns } from '../../../src/http/protocols/csv/columns.js';
import { columnsOfHeader } from '../../../src/http/protocols/csv/header.js';
import { Client, type RequestOptions } from '../../support/client.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';
import { storedFrame } from '../../support/zstd.js';
import { pointsOf } from '../influx/stored.js';

const path = '/api/v1/import/csv';

interface Told {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

describe('CSV tables over HTTP', function () {
  this.timeout(60_000);
  let server: Server;
  let client: Client;
  before(async () => {
    server = await startServer({ dataDir: temporaryDirectory() });
    client = new Client(server.port);
  });
  after(async () => {
    client.close();
    await killServers();
  });

  async function post(query: object, sent: string | RequestOptions): Promise<Told> {
    const options = typeof sent === 'string' ? { body: sent } : sent;
    const target = `${path}?${new URLSearchParams({ ...query }).toString()}`;
    const { status, body } = await client.request('POST', target, options);
    return { status, body: JSON.parse(body) as Told['body'] };
  }
  const points = (metric: string, labels = {}) => pointsOf(server.port, metric, labels);

  it('store a sample for each value that is not empty, whatever the encoding', async () => {
    const table =
      'Time,Host,load,note,idle\r\n1700,"a,""b""\nc",0.5,x,\r\n1701,"a,""b""\nc",1,,2\r\n';
    const columns = 'time:ts:s,label:host,value:cpu.load,skip,value:cpu.idle';
    const encodings = [
      ['identity', Buffer.from(table)],
      ['gzip', gzipSync(table)],
      ['zstd', storedFrame(Buffer.from(table))],
    ] as const;
    for (const [encoding, body] of encodings) {
      const headers = { 'content-encoding': encoding };
      const told = await post({ columns, header: 'skip' }, { body, headers });
      expect(told).to.deep.equal({ status: 200, body: { ingested: 3 } });
    }
    const pieces = [...Buffer.from(table)].map((byte) => Buffer.of(byte));
    const told = await post({ columns, header: 'skip' }, { pieces });
    expect(told.body).to.deep.equal({ ingested: 3 });
    const labels = { host: 'a,"b"\nc' };
    expect(await points('cpu.load', labels)).to.deep.equal([
      [1_700_000n, 0.5],
      [1_701_000n, 1],
    ]);
    expect(await points('cpu.idle', labels)).to.deep.equal([[1_701_000n, 2]]);
  });

  it('use the names of the header unchanged', async () => {
    const table =
      'user,when,host,note\n1,2023-11-14T22:13:20.5Z,a,x\n,2023-11-14 23:13:21+01:00,a,\n';
    const asked = { columns: 'time:when,label:host,value:user', header: 'use' };
    expect((await post(asked, table)).body).to.deep.equal({ ingested: 1 });
    expect(await points('user', { host: 'a' })).to.deep.equal([[1_700_000_000_500n, 1]]);
    const fields = 'metric,value,p99,ts_s\nhttp,1,2,5\n';
    const more = { columns: 'metric,value,value:p99,time', header: 'use' };
    expect((await post(more, fields)).body).to.deep.equal({ ingested: 2 });
    expect(await points('http.p99')).to.deep.equal([[5_000n, 2]]);
    expect(await points('http')).to.deep.equal([[5_000n, 1]]);
  });

  it('accept an exported table without parameters', async () => {
    const table =
      '\ufeffts_ms,metric,value,label.value,zone,metric_kind,metric_unit\n1,m,2,,"",counter,B\n2,m,3,x,y,,\n';
    expect((await post({ header: 'use' }, table)).body).to.deep.equal({ ingested: 2 });
    expect(await points('m', { zone: '' })).to.deep.equal([[1n, 2]]);
    expect(await points('m', { value: 'x', zone: 'y' })).to.deep.equal([[2n, 3]]);
    const { body } = await client.request('POST', '/api/v1/metrics/find', {
      headers: { 'content-type': 'application/json' },
      body: '{"prefix":"m"}',
    });
    expect(body).to.include('"kind":"counter"').and.to.include('"unit":"B"');
  });

  it('store nothing of a table with a bad row, and name its line', async () => {
    const columns = 'time,value:whole,label:host';
    const table = '1,1,"a\nb"\n2,x,c\n';
    const { status, body } = await post({ columns }, table);
    expect(status).to.equal(400);
    expect(body).to.deep.equal({
      ...{ error: 'line 3: the value "x" is not a number', code: 'invalid_record', status: 400 },
    });
    expect(await points('whole', { host: 'a\nb' })).to.deep.equal([]);
    const headed = await post({ columns, header: 'skip' }, `"a\nb",c,d\n${table}`);
    expect(headed.body['error']).to.equal('line 5: the value "x" is not a number');
  });

  it('store the good rows on request, and count by protocol', async () => {
    const asked = { columns: 'time,value:partly', on_error: 'skip' };
    const { status, body } = await post(asked, '1,1\n2\n3,3\n');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      ...{ ingested: 2, rejected: 1 },
      errors: [
        {
          ...{ line: 2, code: 'invalid_record' },
          error: 'line 2: the row has 1 cells; the header or mapping has 2 columns',
        },
      ],
    });
    const { body: metrics } = await client.request('GET', '/metrics');
    expect(metrics).to.match(/seriesdb_protocol_samples_total\{protocol="csv"\} [1-9]/);
    expect(metrics).to.match(
      /seriesdb_protocol_rejected_total\{protocol="csv",code="invalid_record"\} 1/,
    );
  });

  it('add labels to all rows, and refuse text in columns that must be empty', async () => {
    const columns = 'time,label:host,value:fan,empty';
    const asked = { columns, labels: 'job:a:b,"host:x",zone:z' };
    expect((await post(asked, '1,y,2,\n2,,3, \n')).body).to.deep.equal({ ingested: 2 });
    expect(await points('fan', { host: 'y', job: 'a:b', zone: 'z' })).to.deep.equal([[1n, 2]]);
    expect(await points('fan', { host: 'x', job: 'a:b', zone: 'z' })).to.deep.equal([[2n, 3]]);
    const { status, body } = await post(asked, '3,y,1,\n4,y,1,n/a\n');
    expect([status, body['code']]).to.deep.equal([400, 'invalid_record']);
    expect(body['error']).to.include('line 2').and.include('is in a column of empty cells');
    for (const labels of ['job', ':x', 'a:1,a:2', '"a:1']) {
      const refused = await post({ columns, labels }, '5,y,1,\n');
      expect([refused.status, refused.body['code']], labels).to.deep.equal([400, 'invalid_labels']);
    }
  });

  it('skip blank values and lines, or refuse them', async () => {
    const columns = 'time,value:pump';
    const skipped = { all: [200, 200], values: [200, 400], none: [400, 400] } as const;
    for (const [skip_blanks, [value, line]] of Object.entries(skipped)) {
      const asked = { columns, skip_blanks };
      expect((await post(asked, '1, \n2,1\n')).status, skip_blanks).to.equal(value);
      expect((await post(asked, '  \n2,1\n')).status, skip_blanks).to.equal(line);
      expect((await post(asked, '\n1,\n2,1\n')).status, skip_blanks).to.equal(200);
    }
    const wrong = await post({ columns, skip_blanks: 'some' }, '2,1\n');
    expect([wrong.status, wrong.body['code']]).to.deep.equal([400, 'invalid_skip_blanks']);
  });

  it('accept an empty body and store nothing', async () => {
    const columns = 'time,value:v';
    for (const [query, body] of [
      [{ columns }, ''],
      [{ header: 'use' }, ''],
      [{ columns, header: 'skip' }, 'a,b'],
      [{ columns, header: 'skip' }, 'a,b\n'],
      [{ header: 'use' }, 'ts,metric,value'],
    ] as const) {
      expect((await post(query, body)).body, body).to.deep.equal({ ingested: 0 });
    }
  });

  it('report errors in the columns', async () => {
    const wrong: [object, string, string][] = [
      [{}, '1,1\n', 'missing_columns'],
      [{ header: 'skip' }, '1,1\n', 'missing_columns'],
      [{ header: 'x' }, '1,1\n', 'invalid_header'],
      [{ columns: 'time' }, '1,1\n', 'invalid_columns'],
      [{ columns: 'value:a' }, '1,1\n', 'invalid_columns'],
      [{ columns: 'time,value' }, '1,1\n', 'invalid_columns'],
      [{ columns: 'time,value:a,value:a' }, '1,1,1\n', 'invalid_columns'],
      [{ columns: 'time,time:s,value:a' }, '1,1,1\n', 'invalid_columns'],
      [{ columns: 'time:t:h,value:a' }, '1,1\n', 'invalid_columns'],
      [{ columns: 'time,value:a,label' }, '1,1,1\n', 'invalid_columns'],
      [{ columns: 'time,value:a,tag:b' }, '1,1,1\n', 'invalid_columns'],
      [{ columns: 'time,value:a,"label:b' }, '1,1,1\n', 'invalid_columns'],
      [{ header: 'use' }, 'a,b\n1,1\n', 'invalid_columns'],
      [{ header: 'use' }, 'ts,value\n1,1\n', 'invalid_columns'],
      [{ header: 'use' }, 'ts,metric,value,a,a\n1,m,1,2,3\n', 'invalid_columns'],
      [{ header: 'use' }, 'ts,metric,value,\n1,m,1,2\n', 'invalid_columns'],
      [{ header: 'use' }, 'ts,metric,"value\n1,m,1\n', 'invalid_columns'],
      [{ header: 'use', columns: 'time,value:b' }, 'ts,a\n1,1\n', 'invalid_columns'],
      [{ header: 'use', columns: 'time:a,value:a' }, 'ts,a\n1,1\n', 'invalid_columns'],
      [{ header: 'use' }, 'sep=;\nts;metric;value\n1;m;1\n', 'invalid_columns'],
      [{ header: 'use' }, `${'x'.repeat(70_000)}\n`, 'line_too_long'],
      [{ columns: 'time,value:a', precision: 'h' }, '1,1\n', 'invalid_precision'],
    ];
    for (const [query, body, code] of wrong) {
      const told = await post(query, body);
      expect(told.body['code'], JSON.stringify(query) + body.slice(0, 40)).to.equal(code);
    }
  });

  it('say what to do about the "sep=" line of Excel and a compressed body', async () => {
    const excel = await post({ header: 'use' }, 'sep=;\nts;metric;value\n1;m;1\n');
    expect(excel.body['error']).to.include(
      'the first line is Excel\'s "sep=;": leave it out, and separate cells by commas',
    );
    const packed = await post(
      { header: 'use' },
      {
        body: gzipSync('ts,metric,value\n1,m,1\n'),
      },
    );
    expect(packed.body['error']).to.include('send the header Content-Encoding: gzip');
    const columns = 'time,metric,value';
    for (const header of ['none', 'skip']) {
      const told = await post({ columns, header }, '\ufeffsep=;\r\nts;metric;value\r\n1;m;1\r\n');
      expect(told.body['error'], header).to.include('the first line is Excel\'s "sep=;": leave it');
      expect(told.body['code'], header).to.equal('invalid_columns');
      const body = gzipSync('1,m,1\n');
      const unread = await post({ columns, header, on_error: 'skip' }, { body });
      expect(unread.body['error'], header).to.include('send the header Content-Encoding: gzip');
    }
    // Good rows are stored, whatever precedes them.
    const some = await post({ columns, header: 'none', on_error: 'skip' }, 'sep=,\n1,sep.m,1\n');
    expect(some.body).to.deep.include({ ingested: 1, rejected: 1 });
  });

  it('read the column list as a CSV row, including names with colons and commas', () => {
    const list = 'time:at:us,"value:a,b:c",label:x:y,,metric:name, skip ';
    expect(parseColumns(list)).to.deep.equal([
      { kind: 'time', name: 'at', timeUnit: 'us' },
      { kind: 'value', name: 'a,b:c', timeUnit: null },
      { kind: 'label', name: 'x:y', timeUnit: null },
      { kind: 'skip', name: '', timeUnit: null },
      { kind: 'metric', name: 'name', timeUnit: null },
      { kind: 'skip', name: '', timeUnit: null },
    ]);
    const units = ['time', 'time:ts', 'time:ms', 'time::ns', 'time:s:s'].map(
      (time) => parseColumns(`${time},value:v`)[0],
    );
    expect(units.map((one) => [one?.name, one?.timeUnit])).to.deep.equal([
      ['', null],
      ['ts', null],
      ['', 'ms'],
      ['', 'ns'],
      ['s', 's'],
    ]);
    expect(columnsOfHeader('ts_us,metric,value\r\n', undefined).unit).to.equal('us');
  });
});
