/** Snapshots, backups and restores, as an operator makes them. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { ask } from '../support/admin-server.js';
import {
  adminUrl,
  done,
  exported,
  ingest,
  lines,
  told,
  withAdmin,
} from '../support/maintenance.js';
import { runAtTerminal, runCli } from '../support/cli.js';
import { Client } from '../support/client.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';

describe('snapshots and backups', () => {
  afterEach(killServers);

  it('of a running server restore its data after a kill', async function () {
    this.timeout(60_000);
    const scratch = temporaryDirectory();
    const place = (name: string): string => path.join(scratch, name);
    const server = await startServer({ dataDir: place('data'), args: withAdmin });
    const url = ['--url', adminUrl(server)];
    await ingest(server, lines('cpu', 0, 300));
    const before = await exported(['--url', server.url]);
    const created = await told(['snapshot', 'create', 'before', ...url]);
    assert.deepEqual(created, { status: 'created', name: 'before' });

    const removed = await ask(server.port, '/api/v1/seriesql', {
      method: 'POST',
      body: 'delete from cpu where time between 0 and 199',
    });
    assert.strictEqual(removed.status, 200, removed.body);
    await ingest(server, lines('mem', 0, 100));
    done(await runCli(['compact', ...url]));
    const after = await exported(['--url', server.url]);
    const asOf = async (query: string): Promise<string> => {
      const text = `select count(*) from ${query} where time >= 0`;
      const flags = ['--as-of', 'before', '--format', 'csv'];
      return done(await runCli(['query', text, ...flags, '--url', server.url]));
    };
    assert.match(await asOf('cpu'), /\n300\r?\n/);
    const backup = place('backup');
    const first = await told(['backup', backup, ...url]);
    assert.strictEqual(first['status'], 'ok');
    assert.isAbove(Number(first['files']), 0);
    await ingest(server, lines('late', 0, 10));
    const latest = await exported(['--url', server.url]);
    const second = await told(['backup', backup, ...url]);
    assert.isAbove(Number(second['present']), 0);
    assert.strictEqual(second['database_id'], first['database_id']);
    await server.kill();

    const verified = done(await runCli(['verify', backup]));
    assert.match(verified, /no damage/);
    assert.strictEqual(await exported([backup]), latest);
    assert.strictEqual(await exported([backup, '--as-of', 'before']), before);
    assert.strictEqual(await exported([place('data'), '--as-of', 'before']), before);
    assert.notStrictEqual(latest, after);
    done(await runCli(['restore', backup, place('latest')]));
    done(await runCli(['restore', backup, place('before'), '--snapshot', 'before']));
    for (const [name, expected] of [['latest', latest] as const, ['before', before] as const]) {
      const again = await startServer({ dataDir: place(name), args: withAdmin });
      assert.strictEqual(await exported(['--url', again.url]), expected);
      const listed = done(await runCli(['snapshot', 'list', '--url', adminUrl(again)]));
      assert.match(listed, /^name +time_ms .*own_bytes\nbefore +\d+/i);
      await again.kill();
    }
  });

  it('of a closed directory work like those of a server', async () => {
    const scratch = temporaryDirectory();
    const dataDir = path.join(scratch, 'data');
    const server = await startServer({ dataDir });
    await ingest(server, lines('cpu', 0, 50));
    await server.kill();
    done(await runCli(['snapshot', 'create', 'one', dataDir]));
    const listed = await told(['snapshot', 'list', dataDir]);
    assert.deepInclude(listed, { name: 'one', samples: 50, series: 3 });
    const backup = path.join(scratch, 'backup');
    const out = done(await runCli(['backup', backup, dataDir]));
    assert.match(out, /^status +ok\nfiles +1\n/);
    assert.deepEqual(readdirSync(backup).sort(), ['LOCK', 'REFS', 'ROOT', 'objects']);
    done(await runCli(['snapshot', 'delete', 'one', dataDir]));
    assert.strictEqual(done(await runCli(['snapshot', 'list', dataDir, '--json'])), '');
    assert.strictEqual(await exported([backup]), await exported([dataDir]));
  });

  it('reject invalid requests with a message', async function () {
    this.timeout(60_000);
    const scratch = temporaryDirectory();
    const dataDir = path.join(scratch, 'data');
    const server = await startServer({ dataDir, args: withAdmin });
    await ingest(server, lines('cpu', 0, 5));
    const url = ['--url', adminUrl(server)];
    done(await runCli(['snapshot', 'create', 'a', ...url]));
    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      [['snapshot', 'create', 'a', ...url], /snapshot a already exists/],
      [['snapshot', 'delete', 'b', ...url], /there is no snapshot b/],
      [['snapshot', 'create', '../a', ...url], /name must be a snapshot name/],
      [['snapshot', 'create', 'a'], /name either a directory, or a running server/],
      [['backup', 'relative', ...url], /absolute path/],
      [['backup', dataDir, ...url], /holds a database, not a backup/],
      [['restore', dataDir, path.join(scratch, 'x')], /is not a backup/],
      [['restore', path.join(scratch, 'none'), path.join(scratch, 'x')], /no database in/],
    ];
    for (const [args, sentence] of refused) {
      const { code, err } = await runCli(args);
      assert.oneOf(code, [1, 2], args.join(' '));
      assert.match(err, sentence);
    }
    assert.isFalse(existsSync(path.join(scratch, 'x', 'ROOT')));
    for (const [target, status] of [
      ['create', 400],
      ['create?name=a', 409],
      ['delete?name=b', 404],
    ] as const) {
      const path = `/__admin/snapshot/${target}`;
      const answer = await ask(server.adminPort, path, { method: 'POST' });
      assert.strictEqual(answer.status, status, answer.body);
    }
  });

  it('can be queried as of a snapshot, beside the current data', async function () {
    this.timeout(60_000);
    const server = await startServer({
      dataDir: path.join(temporaryDirectory(), 'data'),
      args: withAdmin,
    });
    const url = ['--url', adminUrl(server)];
    const client = new Client(server.port);
    const count = async (asOf: string): Promise<string> => {
      const body = 'select count(*) from cpu where time >= 0';
      const answer = await client.request('POST', `/api/v1/seriesql${asOf}`, { body });
      if (answer.status === 200)
        return /"rows":\[\[(\d+)\]\]/.exec(answer.body)?.[1] ?? answer.body;
      return /"code":"(\w+)"/.exec(answer.body)?.[1] ?? answer.body;
    };
    for (const [at, name] of ['a', 'b', 'c'].entries()) {
      await ingest(server, lines('cpu', 10 * at, 10));
      done(await runCli(['snapshot', 'create', name, ...url]));
    }
    await ingest(server, lines('cpu', 30, 10));
    // More readers than may be open at once.
    for (const round of [0, 1]) {
      for (const [at, name] of ['a', 'b', 'c'].entries()) {
        const told = await count(`?as_of=${name}`);
        assert.strictEqual(told, String(10 * (at + 1)), `${name} ${String(round)}`);
      }
    }
    assert.strictEqual(await count(''), '40');
    assert.strictEqual(await count('?as_of=d'), 'snapshot_not_found');
    assert.strictEqual(await count('?as_of=../a'), 'invalid_name');
    const body = 'delete from cpu where time between 0 and 100';
    const refused = await client.request('POST', '/api/v1/seriesql?as_of=a', { body });
    assert.strictEqual(refused.status, 503, refused.body);
    done(await runCli(['snapshot', 'delete', 'c', ...url]));
    assert.strictEqual(await count('?as_of=c'), 'snapshot_not_found');
    assert.strictEqual(await count('?as_of=b'), '20');
    assert.strictEqual(await count(''), '40');
  });

  it('stay unchanged when a server is started on a backup', async () => {
    const scratch = temporaryDirectory();
    const dataDir = path.join(scratch, 'data');
    const server = await startServer({ dataDir });
    await ingest(server, lines('cpu', 0, 5));
    await server.kill();
    const backup = path.join(scratch, 'backup');
    done(await runCli(['backup', backup, dataDir]));
    const { code, err } = await runCli(['serve', '--data-dir', backup, '--listen', '127.0.0.1:0']);
    assert.strictEqual(code, 2);
    assert.match(err, /is a backup/);
    done(await runCli(['backup', backup, dataDir]));
  });

  it('draw a progress bar on a terminal, and none into a file', async () => {
    const folder = temporaryDirectory();
    const dataDir = path.join(folder, 'data');
    const server = await startServer({ dataDir, args: withAdmin });
    await ingest(server, lines('cpu', 0, 300));
    await server.stop();
    const backup = path.join(folder, 'backup');
    const copy = path.join(folder, 'copy');
    assert.match(await runAtTerminal(['backup', backup, dataDir]), /backup .*100% \| \d+ files/);
    assert.match(await runAtTerminal(['restore', backup, copy]), /restore .*100% \| \d+ files/);
    const quiet = await runCli(['backup', path.join(folder, 'again'), dataDir]);
    assert.deepEqual([quiet.code, quiet.err], [0, '']);
  });
});
