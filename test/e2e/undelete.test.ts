/** Deleted samples, restored from a snapshot as an operator does it. */
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
import { stateOf } from '../support/directory-state.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

async function remove(server: Server, statement: string): Promise<void> {
  const path = '/api/v1/seriesql';
  const removed = await ask(server.port, path, { method: 'POST', body: statement });
  assert.strictEqual(removed.status, 200, removed.body);
}

describe('undelete', () => {
  afterEach(killServers);

  it('restores deleted samples of a running server, and they survive a kill', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: withAdmin });
    const url = ['--url', adminUrl(server)];
    const source = ['--url', server.url];
    await ingest(server, lines('cpu', 0, 300) + lines('mem', 0, 30));
    const before = await exported(source);
    done(await runCli(['snapshot', 'create', 'before', ...url]));
    await remove(server, 'delete from cpu where time between 100 and 999');
    await remove(server, 'delete from mem where time between 0 and 999');
    done(await runCli(['compact', ...url]));
    const after = await exported(source);

    const undelete = (...args: string[]): Promise<Record<string, unknown>> =>
      told(['undelete', '--as-of', 'before', ...args, ...url]);
    const counted = await undelete('--dry-run');
    assert.deepInclude(counted, {
      kind: 'end',
      dry_run: true,
      samples: 230,
      present: 100,
      restored_series: 6,
    });
    assert.strictEqual(await exported(source), after);
    const some = await undelete('--metric', 'cpu', '--label', 'host=h0', '--start', '100');
    assert.deepInclude(some, { status: 'ok', series: 1, samples: 66, present: 0 });
    const iso = ['--start', '1970-01-01T00:00:00.100Z', '--end', '1970-01-01T00:00:00.109Z'];
    assert.deepInclude(await undelete('--prefix', 'c', ...iso), { samples: 7, present: 3 });
    const table = done(await runCli(['undelete', '--as-of', 'before', ...url]));
    assert.match(table, /^status +ok\nseries +6\nrestored_series +5\nsamples +157\n/);
    assert.strictEqual(await exported(source), before);
    await server.kill();

    const again = await startServer({ dataDir, args: withAdmin });
    assert.strictEqual(await exported(['--url', again.url]), before);
  });

  it('restores from history, without a snapshot', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: withAdmin });
    const url = ['--url', adminUrl(server)];
    await ingest(server, lines('cpu', 0, 90));
    const flushed = await ask(server.adminPort, '/__admin/flush', { method: 'POST' });
    assert.strictEqual(flushed.status, 200);
    const then = new Date().toISOString();
    const before = await exported(['--url', server.url]);
    await remove(server, 'delete from cpu where time between 0 and 999');
    done(await runCli(['compact', ...url]));
    assert.strictEqual(await exported(['--url', server.url]), '');
    const some = await told(['undelete', '--as-of', then, '--end', '9', ...url]);
    assert.deepInclude(some, { status: 'ok', samples: 10 });
    await server.kill();
    const files = stateOf(dataDir);
    const counted = await told(['undelete', '--as-of', then, '--dry-run', dataDir]);
    assert.deepInclude(counted, { dry_run: true, samples: 80 });
    assert.deepStrictEqual(stateOf(dataDir), files);
    assert.deepInclude(await told(['undelete', '--as-of', then, dataDir]), { samples: 80 });
    assert.strictEqual(await exported([dataDir]), before);
    const early = await runCli(['undelete', '--as-of', '1970-01-02', dataDir]);
    assert.strictEqual(early.code, 1);
    assert.match(early.err, /history/);
  });

  it('works on a closed directory', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: withAdmin });
    await ingest(server, lines('cpu', 0, 50));
    done(await runCli(['snapshot', 'create', 'one', '--url', adminUrl(server)]));
    const before = await exported(['--url', server.url]);
    await remove(server, 'delete from cpu where time between 0 and 999');
    await server.kill();
    const asOf = ['undelete', '--as-of', 'one'];
    const end = ['--end', '1970-01-01T00:00:00.009Z'];
    assert.deepInclude(await told([...asOf, dataDir, ...end]), { samples: 10 });
    assert.deepInclude(await told([...asOf, dataDir]), { samples: 40, present: 10 });
    assert.strictEqual(await exported([dataDir]), before);
  });

  it('rejects invalid requests with a message', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: withAdmin });
    await ingest(server, lines('cpu', 0, 5));
    const url = ['--url', adminUrl(server)];
    done(await runCli(['snapshot', 'create', 'a', ...url]));
    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      [
        ['--as-of', 'b', ...url],
        /there is no snapshot b; a past state is .* a time such as now-2h/,
      ],
      [['--as-of', '../b', ...url], /a past state must be/],
      [['--as-of', 'a', '--start', '5', '--end', '4', ...url], /start 5 is after end 4/],
      [['--as-of', 'a', '--start', 'soon', ...url], /--start must be an integer/],
      [
        ['--as-of', 'a', '--metric', 'a', '--prefix', 'b', ...url],
        /metric and prefix exclude each other/,
      ],
      [['--as-of', 'a'], /name either a directory, or a running server/],
    ];
    for (const [args, sentence] of refused) {
      const { code, err } = await runCli(['undelete', ...args]);
      assert.oneOf(code, [1, 2], args.join(' '));
      assert.match(err, sentence);
    }
    for (const [query, body, status] of [
      ['', '', 400],
      ['?as_of=b', '', 404],
      ['?as_of=a', '{"metric":1}', 400],
      ['?as_of=a', '[', 400],
      ['?as_of=a', '{"metrics":"cpu"}', 400],
      ['?as_of=a&dryrun=true', '', 400],
      ['?as_of=a&dry_run=1', '', 400],
      ['?as_of=a&dry_run=true', '', 200],
      ['?as_of=a', '{"labels":{"host":"h0"}}', 200],
    ] as const) {
      const options = { method: 'POST', body };
      const answer = await ask(server.adminPort, `/__admin/undelete${query}`, options);
      assert.strictEqual(answer.status, status, `${query} ${body} ${answer.body}`);
    }
  });

  it('draws a progress bar on a terminal, and none into a file', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: withAdmin });
    await ingest(server, lines('cpu', 0, 300));
    done(await runCli(['snapshot', 'create', 'before', '--url', adminUrl(server)]));
    await remove(server, 'delete from cpu where time between 100 and 999');
    await server.stop();
    const words = ['undelete', '--as-of', 'before', dataDir];
    assert.match(await runAtTerminal(words), /undelete .*100% \| 200 samples/);
    const quiet = await runCli(words);
    assert.deepEqual([quiet.code, quiet.err], [0, '']);
  });
});
