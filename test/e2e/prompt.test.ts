/** The prompt as a user at a terminal sees it. */
import { assert } from 'chai';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { openTerminal, type TerminalSession } from '../support/cli.js';
import { Client } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

/** Removes cursor movements and redraws. */
const plain = (text: string): string =>
  text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').replaceAll('\r', '');

describe('seriesdb query at a terminal', function () {
  this.timeout(120_000);
  let dataDir = '';
  let home = '';
  let server: Server;
  let terminal: TerminalSession;
  before(async () => {
    dataDir = temporaryDirectory();
    home = temporaryDirectory();
    server = await startServer({ dataDir });
    const client = new Client(server.port);
    await client.ingest(
      ['a', 'b']
        .map((host) => `{"metric":"cpu.load","labels":{"host":"${host}"},"ts":1000,"value":2}\n`)
        .join(''),
    );
    const many = Array.from(
      { length: 200_000 },
      (_, at) => `{"metric":"many","ts":${String(at)},"value":${String(at)}}`,
    );
    await client.ingest(many.join('\n'));
    client.close();
  });
  after(async () => {
    await killServers();
    removeDirectory(dataDir);
    removeDirectory(home);
  });
  beforeEach(async () => {
    const env = { SDB_URL: server.url, XDG_STATE_HOME: home, NO_COLOR: '' };
    terminal = openTerminal(['query'], env);
    await terminal.seen(/seriesdb> /);
  });
  afterEach(() => {
    terminal.kill();
  });
  const asks = async (keys: string, until: RegExp): Promise<string> => {
    terminal.type(keys);
    return plain(await terminal.seen(until));
  };

  it('names its server, answers, and exits at Ctrl-D', async () => {
    const answer = await asks("select 'x;y'\ras a;\r", /1 row, [^]*seriesdb> /);
    assert.match(answer, / A\nx;y\n1 row, [\d.]+ ms\n/);
    terminal.type('\u0004');
    assert.strictEqual(await terminal.ended, 0);
    const history = readFileSync(path.join(home, 'seriesdb', 'history'), 'utf8');
    assert.include(history, "select 'x;y' as a;\n");
  });

  it('discards the unfinished statement at Ctrl-C', async () => {
    terminal.type('select 42');
    await terminal.seen(/42/);
    await asks('\u0003', /\^C[^]*seriesdb> /);
    const answer = await asks(' + 1;\r', /parse_failed[^]*seriesdb> /);
    assert.include(answer, 'line 1, column 1: ');
    assert.notInclude(answer, '43');
  });

  it('stops printing an answer at Ctrl-C, and keeps running', async () => {
    terminal.type('\\format csv\r');
    await terminal.seen(/csv[^]*seriesdb> /);
    terminal.type('select time, value from many where time >= 0 limit 200000;\r');
    await terminal.seen(/\r\n100,100\\/);
    const rest = await asks('\u0003', /interrupted[^]*seriesdb> /);
    assert.notInclude(rest, '199999,199999');
    assert.include(await asks('select 40 + 2;\r', /\b42\b[^]*seriesdb> /), '42');
  });

  it("completes the server's names at Tab", async () => {
    // A key that arrives together with others counts as pasted.
    for (const [keys, until] of [
      ['sel', /sel/],
      ['\t', /ect /],
      ['value from cpu.l', /cpu\.l/],
      ['\t', /oad/],
      ["{host='b", /'b/],
      ['\t', /'/],
    ] as const) {
      await asks(keys, until);
    }
    const answer = await asks('} where time >= 0;\r', /row[^]*seriesdb> /);
    assert.match(answer, /VALUE\n +2\n1 row, /);
  });

  it('lists metrics, and describes one', async () => {
    assert.match(await asks('\\d\r', /many[^]*seriesdb> /), /\ncpu\.load +gauge +- +2 +host +1970/);
    const told = await asks('\\d cpu.load\r', /health[^]*seriesdb> /);
    assert.match(
      told,
      /\nseries +2\nlabel host +2: a, b\nfirst +1970\S+\nlast +1970\S+\nhealth +\w/,
    );
    const none = await asks('\\d cpu\r', /no metric[^]*seriesdb> /);
    assert.include(none, 'there is no metric cpu; \\d lists them');
    assert.match(await asks('help\r', /Functions: [^]*seriesdb> /), /\\o \[FILE\] /);
    assert.match(await asks('\\? round\r', /round\(x[^]*seriesdb> /), /\(scalar\)\n/);
    assert.include(
      await asks('\\nope\r', /unknown command[^]*seriesdb> /),
      '\\? lists the commands',
    );
  });

  it('prints other formats, into a file, and the elapsed time', async () => {
    await asks('\\timing\r', /timing is on[^]*seriesdb> /);
    assert.match(
      await asks('select 1;\r', /in all[^]*seriesdb> /),
      /1 row, [\d.]+ ms, [\d.]+ ms in all/,
    );
    const file = path.join(home, 'answer.ndjson');
    await asks(`\\o ${file}\r`, /answers go into[^]*seriesdb> /);
    await asks('\\format ndjson\r', /as ndjson[^]*seriesdb> /);
    await asks('select 1 as one;\r', /in all[^]*seriesdb> /);
    await asks('\\o\r', /to the screen[^]*seriesdb> /);
    assert.strictEqual(readFileSync(file, 'utf8'), '{"one":1}\n');
    const wrong = await asks(`\\o ${home}\r`, /it is a directory[^]*seriesdb> /);
    assert.include(wrong, `cannot write ${home}`);
    assert.include(await asks('\\format x\r', /takes one of[^]*seriesdb> /), 'table, csv');
  });

  it('truncates text, never numbers, to fit the screen', async () => {
    const long = 'a long text '.repeat(9).trim();
    const statement = `select '${long}' as text, 'short' as other, 123456789012345 as number`;
    const env = { SDB_URL: server.url, COLUMNS: '50' };
    const narrow = openTerminal(['query', statement], env);
    const seen = plain(await narrow.seen(/1 row/));
    assert.match(seen, /\na long text a long[a-z ]*… +short +123456789012345\n/);
    const wide = openTerminal(['query', statement], { SDB_URL: server.url, COLUMNS: '200' });
    assert.include(plain(await wide.seen(/1 row/)), long);
  });

  it('uses colours unless NO_COLOR is set', async () => {
    terminal.type('select;\r');
    assert.include(await terminal.seen(/\u001b\[31m[^]*seriesdb> /), '\u001b[36mseriesdb> ');
    const env = { SDB_URL: server.url, XDG_STATE_HOME: home, NO_COLOR: '1' };
    const other = openTerminal(['query'], env);
    await other.seen(/seriesdb> /);
    other.type('select;\r');
    const drawn = await other.seen(/hint|\^[^]*seriesdb> /);
    other.kill();
    assert.notMatch(drawn, /\u001b\[\d+m/);
  });
});
