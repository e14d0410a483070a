/**
 * A server limited to 128 descriptors, with four times as many silent clients. The database keeps
 * the descriptors it needs, and accepted clients are served.
 */
import { existsSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';

import { assert } from 'chai';

import { ask, startConfigured, transportNames } from '../support/admin-server.js';
import { certificateFiles, makeCertificate } from '../support/certificate.js';
import { Client } from '../support/client.js';
import {
  isSanitized,
  killServers,
  removeDirectory,
  runCommand,
  serveArguments,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const kLimit = 128;
const kIdle = 200;
const certificate = makeCertificate('few');
/** Slow enough that no idle client is cut during the test with node:http. */
const kSettings = 'header_timeout_ms = 60000\n';

interface Idle {
  /** Sockets that the server has closed are destroyed. */
  readonly sockets: readonly net.Socket[];
  /** The number of sockets still open. */
  openCount(): number;
}

async function idleClients(port: number, isSecure: boolean): Promise<Idle> {
  const sockets = Array.from({ length: kIdle }, () => {
    const options = { host: '127.0.0.1', port };
    const socket = isSecure
      ? tls.connect({ ...options, ca: certificate.cert })
      : net.connect(options);
    socket.on('error', () => undefined);
    socket.resume();
    return socket;
  });
  const openCount = (): number => sockets.filter((one) => !one.destroyed).length;
  const isSettled = (): boolean => sockets.every((one) => one.destroyed || !one.connecting);
  while (!isSettled() || openCount() > kLimit) await sleep(20);
  return { sockets, openCount };
}

/** Resolves when `check` holds; the time limit of the test ends the wait. */
async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await sleep(50);
}

const line = (ts: number): string => `{"metric":"m","ts":${String(ts)},"value":1}\n`;

for (const transport of transportNames) {
  for (const isSecure of [false, true]) {
    describe(`128 descriptors over ${transport}${isSecure ? ', TLS' : ''}`, function () {
      this.timeout(60_000);
      let server: Server;
      let dataDir: string;
      let idle: Idle;
      before(async () => {
        const { toml } = certificateFiles(certificate);
        const settings = kSettings + (isSecure ? toml : '');
        ({ server, dataDir } = await startConfigured(transport, settings, {
          descriptorLimit: kLimit,
          args: ['--log-level', 'info'],
        }));
        idle = await idleClients(server.port, isSecure);
      });
      after(async () => {
        await killServers();
        removeDirectory(dataDir);
      });
      const trusting = isSecure ? { ca: certificate.cert } : {};
      const admin = (target: string, method: string) =>
        ask(server.adminPort, target, { ...trusting, method });
      const countOf = (text: string): number => server.printed().split(text).length - 1;

      it('admit some clients, and refuse the others at once without a busy loop', async () => {
        assert.isAtLeast(idle.openCount(), 16);
        assert.isBelow(server.descriptorCount(), kLimit - 16);
        const before = server.cpuSeconds();
        await sleep(2_000);
        if (!isSanitized) assert.isBelow(server.cpuSeconds() - before, 0.8);
      });

      it('are reported once in the log, and in the status while they last', async () => {
        assert.strictEqual(countOf('new connections are refused'), 1);
        const { body } = await admin('/__admin/status', 'GET');
        const status = JSON.parse(body) as { status: string; reasons: readonly string[] };
        assert.strictEqual(status.status, 'degraded');
        assert.match(status.reasons.join(), /^new connections are refused: \d+ are open, .*128/);
      });

      it('leave enough for the database, and are free again when clients disconnect', async () => {
        // Accepted clients are served; the operator is served even if all others are refused.
        assert.strictEqual((await admin('/__admin/flush', 'POST')).status, 200);
        for (const socket of idle.sockets) socket.destroy();
        await until(async () => {
          const { status } = await ask(server.port, '/healthz', trusting).catch(() => ({
            status: 0,
          }));
          return status === 200;
        });
        await until(() => countOf('new connections are accepted again') === 1);
        const { body } = await ask(server.port, '/status', trusting);
        assert.deepInclude(JSON.parse(body), { status: 'ok' });
        assert.strictEqual(countOf('new connections are refused'), 1);
        const metrics = await ask(server.port, '/metrics', trusting);
        const refused = /^seriesdb_connections_refused_total ([0-9]+)$/m.exec(metrics.body)?.[1];
        assert.isAbove(Number(refused), 0);
      });
    });
  }

  describe(`clients that came before the flood over ${transport}`, function () {
    this.timeout(60_000);
    after(killServers);

    it('keep working: their samples are stored, flushed and read', async () => {
      const args = ['--transport', transport, '--header-timeout-ms', '60000'];
      const flushing = ['--memtable-max-bytes', '65536'];
      const server = await startServer({
        dataDir: temporaryDirectory(),
        args: [...args, ...flushing],
        descriptorLimit: kLimit,
      });
      const client = new Client(server.port);
      assert.strictEqual(await client.ingest(line(0)), 1);
      const idle = await idleClients(server.port, false);
      assert.include(server.printed(), 'new connections are refused');
      // Uses the open connection, because a new one would be refused.
      let ts = 0;
      const flushes = async (): Promise<number> => {
        const { body } = await client.get('/status');
        return (
          (JSON.parse(body) as { runtime: Record<string, number> }).runtime['flush_total'] ?? 0
        );
      };
      while ((await flushes()) < 3) {
        const lines = Array.from({ length: 5_000 }, () => line((ts += 1)));
        assert.strictEqual(await client.ingest(lines.join('')), lines.length);
      }
      const read = await client.rangeGet({ metric: 'm', start: 0n, end: BigInt(ts) });
      assert.lengthOf(read, ts + 1);
      for (const socket of idle.sockets) socket.destroy();
      client.close();
      assert.strictEqual((await server.stop()).code, 0);
    });
  });
}

describe('too few descriptors', function () {
  this.timeout(60_000);

  it('are reported at start, before the directory is created', async () => {
    const dataDir = path.join(temporaryDirectory(), 'absent');
    const start = async (limit: number, sentence: RegExp): Promise<void> => {
      const { code, output } = await runCommand(serveArguments({ dataDir }), {}, limit);
      assert.strictEqual(code, 1, output);
      assert.match(output, sentence);
      assert.isFalse(existsSync(dataDir));
    };
    await start(70, /^seriesdb: only 70 files [^\n]* needs \d+; [^\n]*ulimit -n\n$/);
    // Node itself has 18 of them open, and the program is loaded a file at a time.
    await start(22, /^seriesdb: only 22 files [^\n]* needs \d+; [^\n]*ulimit -n\n$/);
  });
});
