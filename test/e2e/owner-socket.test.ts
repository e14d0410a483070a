/** Maintenance commands that name a directory which a server with default settings has open. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';

import { assert } from 'chai';

import { ask } from '../support/admin-server.js';
import { done, exported, ingest, lines, told, withAdmin } from '../support/maintenance.js';
import { runCli, startCli } from '../support/cli.js';
import { segmentFile } from '../support/segment-files.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const socketOf = (dataDir: string): string => path.join(dataDir, 'SOCKET');

async function startFilled(args: readonly string[] = []) {
  const scratch = temporaryDirectory();
  const dataDir = path.join(scratch, 'data');
  const server = await startServer({ dataDir, args });
  await ingest(server, lines('cpu', 0, 300));
  return { scratch, dataDir, server };
}

async function deleteSamples(server: Server): Promise<void> {
  const body = 'delete from cpu where time between 0 and 199';
  const removed = await ask(server.port, '/api/v1/seriesql', { method: 'POST', body });
  assert.strictEqual(removed.status, 200, removed.body);
}

/** A directory path longer than the kernel allows for a socket. */
function longDirectory(): string {
  const folder = path.join(temporaryDirectory(), 'l'.repeat(90), 'o'.repeat(90), 'n'.repeat(90));
  mkdirSync(folder, { recursive: true });
  return path.join(folder, 'data');
}

describe('the socket in the data directory', function () {
  this.timeout(120_000);
  afterEach(killServers);

  it('makes a restorable backup of a server without settings', async () => {
    const { scratch, dataDir, server } = await startFilled();
    const before = await exported(['--url', server.url]);
    const made = await runCli(['backup', 'made', 'data', '--json'], { folder: scratch });
    assert.match(done(made), /"kind":"end","status":"ok"/);
    await ingest(server, lines('mem', 0, 50));
    const latest = await exported(['--url', server.url]);
    const renewed = await told(['backup', path.join(scratch, 'made'), dataDir]);
    assert.isAbove(Number(renewed['present']), 0);
    await server.kill();
    const twin = path.join(scratch, 'twin');
    done(await runCli(['restore', path.join(scratch, 'made'), twin]));
    const again = await startServer({ dataDir: twin });
    const restored = await exported(['--url', again.url]);
    assert.strictEqual(restored, latest);
    assert.notStrictEqual(restored, before);
  });

  it('takes snapshots, compactions and undelete', async () => {
    const { dataDir, server } = await startFilled();
    const before = await exported(['--url', server.url]);
    const created = await told(['snapshot', 'create', 'one', dataDir]);
    assert.deepEqual(created, { status: 'created', name: 'one' });
    assert.match(done(await runCli(['snapshot', 'list', dataDir])), /\none +\d+ +3 +1 +300 /);
    await deleteSamples(server);
    const brought = await told(['undelete', '--as-of', 'one', dataDir]);
    assert.deepInclude(brought, { status: 'ok', samples: 200, present: 100 });
    assert.strictEqual(await exported(['--url', server.url]), before);
    const merged = await told(['compact', dataDir]);
    assert.deepInclude(merged, { status: 'compacted', segments_after: 1 });
    assert.deepInclude(await told(['migrate', dataDir]), { status: 'migrated', left: 0 });
    assert.deepInclude(await told(['snapshot', 'delete', 'one', dataDir]), { status: 'deleted' });
    assert.deepInclude(await told(['gc', dataDir, '--history']), { status: 'collected' });
    assert.strictEqual(await exported(['--url', server.url]), before);
  });

  it('exports and ingests without a token, although both listeners require one', async () => {
    const secrets = { SERIESDB_ADMIN_TOKEN: 'sesame', SERIESDB_AUTH_TOKEN: 'open' };
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: withAdmin, env: secrets });
    assert.strictEqual((await ask(server.port, '/api/v1/export')).status, 401);
    const input = lines('cpu', 0, 300);
    done(await runCli(['ingest', '--into', dataDir], { input }));
    done(await runCli(['snapshot', 'create', 'one', dataDir]));
    done(await runCli(['ingest', '--into', dataDir], { input: lines('mem', 0, 20) }));
    const env = { SDB_TOKEN: 'open' };
    const all = done(await runCli(['export', '--url', server.url], { env }));
    assert.lengthOf(all.trimEnd().split('\n'), 320);
    assert.strictEqual(done(await runCli(['export', dataDir])), all);
    assert.lengthOf((await exported([dataDir, '--as-of', 'one'])).trim().split('\n'), 300);
    await server.kill();
    assert.strictEqual(await exported([dataDir]), all.split('\n').sort().join('\n'));
  });

  it('shows files and queries and repairs a segment while the server runs', async () => {
    const { dataDir, server } = await startFilled(['--compaction', 'false']);
    await told(['snapshot', 'create', 'flushed', dataDir]);
    await told(['snapshot', 'delete', 'flushed', dataDir]);
    assert.match(
      done(await runCli(['verify', dataDir])),
      /no damage: \d+ files, .* 300 samples\n$/,
    );
    assert.match(done(await runCli(['inspect', dataDir, 'segments'])), /^SEGMENT .*\n +\d+  /);
    assert.match(done(await runCli(['queries', dataDir])), /^ID +STATE +ELAPSED_MS/);
    const none = await runCli(['queries', dataDir, '--cancel', '7', '--json']);
    assert.strictEqual(done(none), '{"status":"ended"}\n');
    const file = path.join(dataDir, segmentFile(dataDir, 1));
    const bytes = readFileSync(file);
    bytes[40] = (bytes[40] ?? 0) ^ 0x40;
    writeFileSync(file, bytes);
    assert.strictEqual((await runCli(['verify', dataDir])).code, 3);
    const dry = await runCli(['repair', dataDir, '--dry-run']);
    assert.match(dry.out, /would be mended|use --accept-loss/);
    assert.strictEqual((await runCli(['repair', dataDir, '--accept-loss'])).code, 0);
    assert.match(done(await runCli(['verify', dataDir])), /no damage/);
    await ingest(server, lines('later', 0, 10));
  });

  it('has mode 0600 whatever the umask, and leaves no other file behind', async () => {
    const umask = process.umask(0);
    const { dataDir } = await startFilled().finally(() => process.umask(umask));
    const { mode } = statSync(socketOf(dataDir));
    assert.strictEqual((mode & 0o7777).toString(8), '600');
    assert.isTrue(statSync(socketOf(dataDir)).isSocket());
    assert.isFalse(existsSync(`${socketOf(dataDir)}.tmp`));
  });

  it('needs no token, and sends none to a foreign socket', async () => {
    const secrets = { SERIESDB_ADMIN_TOKEN: 'sesame', SERIESDB_AUTH_TOKEN: 'open' };
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: withAdmin, env: secrets });
    const stranger = await ask(server.adminPort, '/__admin/queries');
    assert.strictEqual(stranger.status, 401);
    assert.match(done(await runCli(['queries', dataDir])), /^ID /);
    await server.stop();
    let head = '';
    const fake = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        head += bytes.toString('latin1');
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"queries":[]}');
      });
    });
    await new Promise<void>((resolve) => fake.listen(socketOf(dataDir), resolve));
    const env = { SDB_ADMIN_TOKEN: 'sesame', SDB_TOKEN: 'open' };
    done(await runCli(['queries', dataDir], { env }));
    fake.close();
    assert.match(head, /^GET \/__admin\/queries HTTP\/1.1\r\n/);
    assert.notMatch(head, /authorization|sesame|open/i);
  });

  it('of a killed server blocks nobody, and the next server replaces it', async () => {
    const { scratch, dataDir, server } = await startFilled();
    await server.kill();
    assert.isTrue(statSync(socketOf(dataDir)).isSocket());
    assert.match(done(await runCli(['verify', dataDir])), /no damage/);
    assert.match((await runCli(['queries', dataDir])).err, /no server of yours has \S+ open\n$/);
    done(await runCli(['backup', path.join(scratch, 'closed'), dataDir]));
    // Left by a start that is killed before the rename.
    mkdirSync(`${socketOf(dataDir)}.tmp`);
    writeFileSync(path.join(`${socketOf(dataDir)}.tmp`, 'SOCKET'), '');
    const again = await startServer({ dataDir });
    done(await runCli(['backup', path.join(scratch, 'open'), dataDir]));
    assert.isFalse(existsSync(`${socketOf(dataDir)}.tmp`));
    await again.stop();
    assert.isFalse(existsSync(socketOf(dataDir)));
  });

  it('works in a directory whose path is too long for a socket', async () => {
    const dataDir = longDirectory();
    const server = await startServer({ dataDir });
    await ingest(server, lines('cpu', 0, 30));
    assert.strictEqual(statSync(socketOf(dataDir)).mode & 0o777, 0o600);
    const made = await told(['backup', path.join(temporaryDirectory(), 'made'), dataDir]);
    assert.strictEqual(made['status'], 'ok');
    assert.match(done(await runCli(['verify', dataDir])), /30 samples/);
    await server.stop();
    assert.isFalse(existsSync(socketOf(dataDir)));
  });

  it('is optional: without it the server works and says so', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    mkdirSync(path.join(dataDir, 'SOCKET', 'full'), { recursive: true });
    const server = await startServer({ dataDir });
    await ingest(server, lines('cpu', 0, 30));
    const held = await runCli(['backup', path.join(temporaryDirectory(), 'made'), dataDir]);
    assert.strictEqual(held.code, 1);
    assert.match(
      held.err,
      /LOCK is held by process \d+; if that is a server, run this as its user/,
    );
    const { output } = await server.stop();
    assert.match(output, /"warn","message":"there is no socket for commands of the owner/);
  });

  it('refuses a target that the server sees elsewhere', async () => {
    const { scratch, server } = await startFilled(withAdmin);
    const { dev, ino } = statSync(scratch, { bigint: true });
    const target = path.join(scratch, 'not', 'yet');
    const order = (seen: string) =>
      ask(server.adminPort, `/__admin/backup?directory=${target}&seen=${seen}`, { method: 'POST' });
    const refused = await order(`${String(dev)}:1`);
    assert.strictEqual(refused.status, 400);
    assert.match(refused.body, /"invalid_directory"/);
    assert.match(refused.body, /is another directory for the server/);
    assert.isFalse(existsSync(target));
    const taken = await order(`${String(dev)}:${String(ino)}`);
    assert.match(taken.body, /"kind":"end","status":"ok"/);
  });

  it('cancels a task with its client, and --url cannot be combined with a directory', async () => {
    const { dataDir, server } = await startFilled(withAdmin);
    const both = await runCli(['verify', dataDir, '--url', server.url]);
    assert.strictEqual(both.code, 2);
    const { child, result } = startCli(['compact', dataDir, '--json']);
    child.stdout?.once('data', () => child.kill('SIGINT'));
    assert.include([0, 130], (await result).code);
    rmSync(socketOf(dataDir));
    const url = `http://127.0.0.1:${String(server.adminPort)}`;
    assert.match(done(await runCli(['verify', '--url', url])), /no damage/);
  });
});
