/** `seriesdb inspect` of a running server equals that of its stopped directory. */
import { rmSync, truncateSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { inspectedParts } from '../../src/operations/inspection.js';

import { ask, startConfigured, transportNames } from '../support/admin-server.js';
import { adminUrl, done, ingest, lines, withAdmin } from '../support/maintenance.js';
import { runAtTerminal, runCli } from '../support/cli.js';
import { copyDirectory } from '../support/directory-state.js';
import { segmentFile } from '../support/segment-files.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

async function post(server: Server, route: string): Promise<void> {
  const answer = await ask(server.adminPort, route, { method: 'POST' });
  assert.strictEqual(answer.status, 200, answer.body);
}

/** Two segments, a snapshot, and samples in the log only. */
async function startFilled() {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const server = await startServer({ dataDir, args: [...withAdmin, '--compaction', 'false'] });
  await ingest(server, lines('cpu', 0, 300));
  await post(server, '/__admin/flush');
  await post(server, '/__admin/snapshot/create?name=first');
  await ingest(server, lines('mem', 1000, 300));
  await post(server, '/__admin/flush');
  for (let at = 0; at < 20; ++at) await ingest(server, lines('cpu', 5000 + at, 1));
  return { server, dataDir };
}

/** A copy of the current directory, which no process has open. */
function copyOf(dataDir: string): string {
  const copy = path.join(temporaryDirectory(), 'data');
  copyDirectory(dataDir, copy);
  rmSync(path.join(copy, 'LOCK'));
  return copy;
}

describe('inspect of a running server', function () {
  this.timeout(60_000);
  afterEach(killServers);

  it('prints the same as for the directory, as tables and as JSON', async () => {
    const { server, dataDir } = await startFilled();
    const copy = copyOf(dataDir);
    const url = ['--url', adminUrl(server)];
    const chosen = [
      ...inspectedParts.map((part) => [part, '--json']),
      ...['manifest', 'segments', 'wal'].map((part) => [part]),
      ['wal', '--limit', '2'],
      ['chunks', '--number', '2'],
      ['segments', '--number', '99'],
    ];
    for (const words of chosen) {
      const live = done(await runCli(['inspect', ...words, ...url]));
      assert.strictEqual(live, done(await runCli(['inspect', copy, ...words])), words.join(' '));
    }
    assert.lengthOf(done(await runCli(['inspect', 'wal', '--json', ...url])).split('\n'), 22);
    const manifest = done(await runCli(['inspect', ...url]));
    assert.match(manifest, /^timestamp_unit +ms\nsegments +2\nsegment_samples +600\n/);
    assert.match(done(await runCli(['inspect', 'refs', ...url])), /\ntags\/first +[0-9a-f]{64} /);
    const shown = await runAtTerminal(['inspect', 'wal', ...url]);
    assert.match(shown, /inspect \| \d+ rows/);
  });

  it('shows one consistent state during ingest and compaction, without a WAL gap', async () => {
    const { server } = await startFilled();
    const samples = { areWritten: false };
    const writing = (async () => {
      for (let at = 0; at < 60; ++at) {
        await ingest(server, lines('disk', at * 100, 100));
        if (at % 5 === 4) await post(server, '/__admin/flush');
        if (at % 20 === 19) await post(server, '/__admin/compact');
      }
      samples.areWritten = true;
    })();
    while (!samples.areWritten) {
      for (const part of inspectedParts) {
        const { status, body } = await ask(server.adminPort, `/__admin/inspect?part=${part}`);
        assert.strictEqual(status, 200, body);
        const rows = body
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, unknown>);
        for (const row of rows) {
          assert.doesNotHaveAnyKeys(row, ['error', 'kind'], body);
          assert.notStrictEqual(row['record'], 'torn');
        }
        if (part !== 'wal') continue;
        const sequences = rows.map((row) => Number(row['sequence']));
        const first = sequences[0] ?? 0;
        assert.deepEqual(
          sequences,
          sequences.map((_, at) => first + at),
        );
      }
    }
    await writing;
  });

  it('reports a damaged segment beside all others, and exits with 3', async () => {
    const { server, dataDir } = await startFilled();
    truncateSync(path.join(dataDir, segmentFile(dataDir, 1)), 20);
    const { code, out } = await runCli(['inspect', 'segments', '--url', adminUrl(server)]);
    assert.strictEqual(code, 3);
    assert.match(out, /\n +1 +flushed .*(objects|segments)\//);
    assert.match(out, /\n +2 +flushed /);
  });

  it('rejects unknown arguments with a message', async () => {
    const { server } = await startFilled();
    const refusal = async (query: string): Promise<string> => {
      const { status, body } = await ask(server.adminPort, `/__admin/inspect?${query}`);
      assert.strictEqual(status, 400, body);
      return body;
    };
    assert.match(await refusal('part=socks'), /part must be manifest, segments.*invalid_part/);
    assert.match(await refusal('of=wal'), /of is not known.*unknown_field/);
    assert.match(await refusal('part=wal&number=x'), /invalid_number/);
    assert.match(await refusal('part=wal&number=-1'), /invalid_number/);
    assert.match(await refusal('part=wal&number=9223372036854775808'), /invalid_number/);
    assert.match(await refusal('part=refs&number=1'), /number is for segments.*invalid_number/);
    assert.match(await refusal('number=1'), /number is for segments.*invalid_number/);
    const most = '/__admin/inspect?part=wal&number=9223372036854775807';
    const highest = await ask(server.adminPort, most);
    assert.deepEqual([highest.status, highest.body], [200, '']);
    const wrong = await ask(server.adminPort, '/__admin/inspect', { method: 'POST' });
    assert.strictEqual(wrong.status, 405);
    const url = ['--url', adminUrl(server)];
    for (const [words, reason] of [
      [['inspect', 'socks', ...url], /"socks" is not one of manifest, segments/],
      [['inspect', '/data', 'wal', ...url], /name either a directory, or a running server/],
      [['inspect'], /name either a directory, or a running server/],
      [['inspect', 'refs', '--number', '1', ...url], /number is for segments, chunks, wal/],
      [['inspect', 'wal', '--number', 'x', ...url], /--number must be the number of a segment/],
    ] as const) {
      const { code, out, err } = await runCli(words);
      assert.oneOf(code, [1, 2], err);
      assert.strictEqual(out, '');
      assert.match(err, reason);
    }
  });

  for (const transport of transportNames) {
    it(`requires the token of the admin listener (${transport})`, async () => {
      const { server } = await startConfigured(transport, '[admin]\ntoken = "sesame"\n');
      const words = ['inspect', 'wal', '--url', adminUrl(server)];
      const stranger = await runCli(words);
      assert.deepEqual([stranger.code, stranger.out], [1, '']);
      const known = await runCli(words, { env: { SDB_ADMIN_TOKEN: 'sesame' } });
      assert.match(done(known), /^FILE +SEQUENCE +BYTES +RECORD\n0000000001\.wal +1 +0 +begin\n$/);
    });
  }
});
