/** `seriesdb query` with several statements: from a file, from a pipe, repeatedly. */
import { assert } from 'chai';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { openTerminal, runCli, startCli, type CliResult } from '../support/cli.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

describe('seriesdb query with several statements', function () {
  this.timeout(120_000);
  const directory = temporaryDirectory();
  let server: Server;
  let env: Record<string, string> = {};
  before(async () => {
    server = await startServer({ dataDir: path.join(directory, 'db') });
    env = { SDB_URL: server.url };
  });
  after(async () => {
    await killServers();
    removeDirectory(directory);
  });
  const query = (args: readonly string[], input?: string): Promise<CliResult> =>
    runCli(['query', ...args], { env, ...(input === undefined ? {} : { input }) });
  const fileOf = (text: string): string => {
    const file = path.join(directory, 'queries.sql');
    writeFileSync(file, text);
    return file;
  };

  it('runs statements of a file, a pipe and the command line in order', async () => {
    const text = "-- ; no\nselect 1 as a; select ';' as b /* ; */;\n\nselect 3 as c\n";
    const tables = 'A\n1\n\nB\n;\n\nC\n3\n';
    assert.deepEqual(await query(['-f', fileOf(text)]), { code: 0, out: tables, err: '' });
    assert.deepEqual(await query([], text), { code: 0, out: tables, err: '' });
    assert.deepEqual(await query(['--file', '-'], text), { code: 0, out: tables, err: '' });
    assert.deepEqual(await query([text.slice('-- ; no\n'.length)]), {
      code: 0,
      out: tables,
      err: '',
    });
    const lines = '{"a":1}\n{"b":";"}\n{"c":3}\n';
    assert.strictEqual((await query(['--format', 'ndjson'], text)).out, lines);
  });

  it('stops at the first error, and names its position in the file', async () => {
    const file = fileOf('select 1 as a;\n\n /* é */ select valu from cpu;\nselect 3 as c;\n');
    const { code, out, err } = await query(['-f', file]);
    assert.deepEqual([code, out], [1, 'A\n1\n\n']);
    assert.include(err, `seriesdb: ${file}:3:17: unknown column valu\n  select valu from cpu\n`);
    const second = await query([], 'select 1 as a;\nselect 1,\n  2 +;\n');
    assert.match(second.err, /^seriesdb: standard input:3:6: expected an expression/);
    const typed = await query(['select 1 as a; select ?']);
    assert.match(typed.err, /^seriesdb: line 1, column 23: unexpected character/);
    const late = await query(['-f', fileOf("select 1;\nselect 'a")]);
    assert.match(late.err, /queries\.sql:2:8: this string is not closed/);
    const odd = fileOf('select 1;\n\n select last(value) from by_id(1);\n');
    assert.match((await query(['-f', odd])).err, /queries\.sql:3:\d+: .*\)\n$/s);
  });

  it('continues with --keep-going, and still exits with an error', async () => {
    const args = ['--keep-going', '--format', 'csv'];
    const { code, out, err } = await query(args, 'select x;\nselect 2 as b;\nselect y;\n');
    assert.deepEqual([code, out], [1, 'b\r\n2\r\n']);
    assert.match(err, /^seriesdb: standard input:1:8: [^]*\nseriesdb: standard input:3:8: /);
  });

  it('stops when no server answers', async () => {
    const args = ['query', '--keep-going', '--url', 'http://127.0.0.1:1'];
    const { code, err } = await runCli(args, { input: 'select 1; select 2;' });
    assert.strictEqual(code, 1);
    assert.match(err, /^seriesdb: no server answers at [^\n]*\n$/);
  });

  it('rejects an input without a statement, an unreadable file, and two sources', async () => {
    assert.strictEqual(
      (await query([], ' -- ;\n')).err,
      'seriesdb: standard input has no statement to run\n',
    );
    const absent = await query(['-f', path.join(directory, 'absent.sql')]);
    assert.match(absent.err, /^seriesdb: --file: cannot read .*: there is no such file\n$/);
    const both = await query(['-f', 'x', 'select 1']);
    assert.match(both.err, /either a statement or a --file/);
    for (const pause of ['0s', 'often', '2']) {
      const { code, err } = await query(['--watch', pause, 'select 1']);
      assert.notStrictEqual(code, 0);
      assert.match(err, /--watch must be a duration like 2s/);
    }
  });

  it('repeats a statement with --watch, and exits with success at Ctrl-C', async () => {
    const args = ['query', '--watch', '100ms', '--format', 'csv', 'select 7 as a'];
    const { child, result } = startCli(args, { env });
    let out = '';
    await new Promise<void>((resolve) => {
      child.stdout?.on('data', (piece: string) => {
        out += piece;
        if (out.split('---\n').length > 3) resolve();
      });
    });
    child.kill('SIGINT');
    const { code, err } = await result;
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^--- \d{4}-\S+Z ---\na\r\n7\r\n--- \S+ ---\na\r\n7\r\n/);
    const wrong = await query(['--watch', '1s', 'select x']);
    assert.strictEqual(wrong.code, 1);
  });

  it('clears the terminal before each answer of --watch', async () => {
    const terminal = openTerminal(['query', '--watch', '100ms', 'select 7 as a'], env);
    const seen = await terminal.seen(/\u001b\[2JA\r\n7\r\n[^]*\u001b\[2JA\r\n7\r\n/);
    assert.notInclude(seen, '---');
    terminal.type('\u0003');
    assert.strictEqual(await terminal.ended, 0);
  });
});
