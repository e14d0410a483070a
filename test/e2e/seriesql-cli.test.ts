import { expect } from 'chai';

import { Client } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  runCommand,
  startServer,
  temporaryDirectory,
  type Exit,
  type Server,
} from '../support/server.js';

describe('seriesdb query', () => {
  const directory = temporaryDirectory();
  let server: Server;
  before(async () => {
    server = await startServer({ dataDir: directory });
    const client = new Client(server.port);
    await client.ingest(
      '{"metric":"cpu","labels":{"host":"a"},"ts":9007199254740993,"value":1.5}\n' +
        '{"metric":"cpu","labels":{"host":"b"},"ts":1000,"value":2}\n',
    );
    client.close();
  });
  after(async () => {
    await killServers();
    removeDirectory(directory);
  });
  const query = (...args: string[]): Promise<Exit> =>
    runCommand(['query', ...args], { SDB_URL: server.url });
  const text = 'select tag.host as host, time, value from cpu where time >= 0 order by host';

  it('prints a table', async () => {
    const { code, output } = await query(text);
    expect(output).to.equal(
      'HOST  TIME                      VALUE\n' +
        'a     9007199254740993            1.5\n' +
        'b     1970-01-01T00:00:01.000Z      2\n',
    );
    expect(code).to.equal(0);
  });

  it('prints times in the unit of the database', async () => {
    const dataDir = temporaryDirectory();
    const args = ['--timestamp-unit', 'ns'];
    const nanoseconds = await startServer({ dataDir, args });
    const insert = "insert into cpu{host='a'} values (1700000000000000001, 1)";
    const ask = 'select time, 1s as second from cpu where time > 0';
    await runCommand(['query', insert], { SDB_URL: nanoseconds.url });
    const { output } = await runCommand(['query', ask], { SDB_URL: nanoseconds.url });
    expect(output).to.equal(
      'TIME                                SECOND\n2023-11-14T22:13:20.000000001Z  1000000000\n',
    );
    await nanoseconds.stop();
    removeDirectory(dataDir);
  });

  it('prints CSV, NDJSON and JSON', async () => {
    expect((await query(text, '--format', 'csv')).output).to.equal(
      'host,time,value\r\na,9007199254740993,1.5\r\nb,1000,2\r\n',
    );
    expect((await query('--format', 'ndjson', text)).output).to.equal(
      '{"host":"a","time":9007199254740993,"value":1.5}\n{"host":"b","time":1000,"value":2}\n',
    );
    const json = (await query(text, '--json')).output;
    expect(json).to.match(/^\{"columns":.*"rows":\[\["a",9007199254740993,1.5\],.*\}\n$/);
  });

  it('prints a table however long it is', async () => {
    const count = 150_000;
    const client = new Client(server.port);
    const lines = Array.from(
      { length: count },
      (_, at) =>
        `{"metric":"long","labels":{"host":"${at % 3 === 0 ? '日本' : 'a'}"},"ts":${at},"value":1}\n`,
    );
    await client.ingest(lines.join(''));
    client.close();
    const { code, output } = await query(
      `select tag.host as host, value from long where time >= 0 limit ${count}`,
    );
    expect(code).to.equal(0);
    const printed = output.trimEnd().split('\n');
    expect(printed).to.have.length(count + 1);
    expect(printed.slice(0, 4)).to.deep.equal([
      'HOST  VALUE',
      '日本      1',
      'a         1',
      'a         1',
    ]);
  });

  it('draws charts, and says what a chart needs', async () => {
    const groups = 'select time, tag.host, value from cpu where time >= 0 and time < 5000';
    const { code, output } = await query(groups, '--format', 'chart');
    expect([code, output]).to.deep.equal([
      0,
      'LINE    VALUES  MIN  MAX  LAST\n' +
        'host=b  ▅         2    2     2\n' +
        '1970-01-01T00:00:01.000Z … 1970-01-01T00:00:01.000Z\n',
    ]);
    const noTime = await query('select 1', '--format', 'chart');
    expect([noTime.code, noTime.output]).to.deep.equal([
      1,
      'seriesdb: a chart needs a column of times, such as time or time_bucket(1m, time); ' +
        'this answer has none\n',
    ]);
    const noNumber = 'select time, tag.host from cpu where time < 5000';
    expect((await query(noNumber, '--format', 'chart')).output).to.match(
      /needs a column of numbers/,
    );
  });

  it('marks the error in the statement, and fails', async () => {
    const { code, output } = await query('select valu from cpu');
    expect(output)
      .to.contain('select valu from cpu\n         ^\n')
      .and.contain('did you mean value');
    expect(code).to.equal(1);
  });

  it('rejects its flags before a subcommand, which ignores them', async () => {
    for (const [flags, told] of [
      [['--as-of', 's1'], `a statement has it: seriesdb query --as-of … "select time`],
      [['--format', 'csv'], `a statement has it: seriesdb query --format … "select time`],
      [['--json'], 'write it behind range'],
      [['--url', server.url], 'write it behind range'],
    ] as const) {
      const { code, output } = await query(...flags, 'range', 'cpu', '--label', 'host=b');
      const [flag] = flags;
      expect(output).to.contain(`error: 'range' takes no '${flag}' of 'query'; ${told}`);
      expect(code).to.equal((await query('range', 'cpu', '--no-such-flag')).code);
      expect(code).not.to.equal(0);
    }
  });

  it('leaves flags after a subcommand to it', async () => {
    const args = ['range', 'cpu', '--label', 'host=b', '--json'];
    expect((await query(...args)).output).to.contain('"value":2');
  });
});
