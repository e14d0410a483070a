import { writeFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { connect, type SecureVersion } from 'node:tls';

import { assert } from 'chai';

import { ask, startConfigured, transportNames } from '../support/admin-server.js';
import { certificateFiles, makeCertificate } from '../support/certificate.js';
import { pause } from '../support/http-server.js';
import { killServers, runCommand, temporaryDirectory } from '../support/server.js';

for (const transport of transportNames) {
  describe(`TLS over ${transport}`, function () {
    this.timeout(60_000);
    afterEach(killServers);

    it('is the only protocol of both listeners', async () => {
      const certificate = makeCertificate('first');
      const { toml } = certificateFiles(certificate);
      const { server } = await startConfigured(transport, toml);
      const trusting = { ca: certificate.cert };
      const body = '{"metric":"m","ts":1,"value":1}\n';
      const stored = await ask(server.port, '/api/v1/ingest', {
        ...trusting,
        method: 'POST',
        body,
      });
      assert.deepEqual([stored.status, stored.certificate], [200, 'first']);
      const admin = await ask(server.adminPort, '/__admin/status', trusting);
      assert.deepEqual([admin.status, admin.certificate], [200, 'first']);
      assert.deepInclude(JSON.parse(admin.body), { tls: true, transport });
      for (const port of [server.port, server.adminPort]) {
        assert.isNull(await ask(port, '/status').catch(() => null), 'plain HTTP was answered');
        const other = { ca: makeCertificate('other').cert };
        assert.isNull(await ask(port, '/status', other).catch(() => null), 'a stranger is trusted');
      }
      assert.strictEqual((await server.stop()).code, 0);
    });

    it('checks the socket address of admin clients', async () => {
      const certificate = makeCertificate('first');
      const { toml } = certificateFiles(certificate);
      const admin = '[admin]\nallow = ["127.0.0.2"]\n';
      const { server } = await startConfigured(transport, toml + admin);
      const from = (address: string) =>
        ask(server.adminPort, '/__admin/status', { ca: certificate.cert, from: address });
      assert.strictEqual((await from('127.0.0.2')).status, 200);
      assert.strictEqual((await from('127.0.0.1')).status, 403);
    });

    it('serves a renewed certificate after a reload, and keeps open connections', async () => {
      const [first, second] = [makeCertificate('first'), makeCertificate('second')];
      const { toml, write } = certificateFiles(first);
      const { server } = await startConfigured(transport, toml);
      const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca: first.cert });
      const kept = { ca: first.cert, agent };
      const before = await ask(server.port, '/healthz', kept);
      assert.strictEqual(before.certificate, 'first');
      for (const certificate of [second, first, second]) {
        write(certificate);
        const both = first.cert + second.cert;
        const reload = { ca: both, method: 'POST' };
        assert.strictEqual((await ask(server.adminPort, '/__admin/reload', reload)).status, 202);
        for (const port of [server.port, server.adminPort]) {
          const shown = await ask(port, '/healthz', { ca: certificate.cert });
          assert.strictEqual(shown.certificate, certificate === first ? 'first' : 'second');
        }
        const still = await ask(server.port, '/healthz', kept);
        assert.deepEqual([still.status, still.certificate], [200, 'first']);
      }
      agent.destroy();
      assert.strictEqual((await server.stop()).code, 0);
    });

    it('refuses no connection while certificates are renewed', async () => {
      const [first, second] = [makeCertificate('first'), makeCertificate('second')];
      const { toml, write } = certificateFiles(first);
      const { server } = await startConfigured(transport, toml);
      const ca = first.cert + second.cert;
      let isOver = false;
      const counts = [0, 0, 0];
      const clients = counts.map(async (_, at) => {
        while (!isOver) {
          assert.strictEqual((await ask(server.port, '/healthz', { ca })).status, 200);
          counts[at] = (counts[at] ?? 0) + 1;
        }
      });
      for (let turn = 0; turn < 10 || Math.min(...counts) < 5; turn += 1) {
        write(turn % 2 === 0 ? second : first);
        const reload = { ca, method: 'POST' };
        const answer = await ask(server.adminPort, '/__admin/reload', reload);
        assert.strictEqual(answer.status, 202, answer.body);
        await Promise.race([pause(20), ...clients]);
      }
      isOver = true;
      await Promise.all(clients);
    });

    it('keeps the old certificate when the new files do not match', async () => {
      const [first, second] = [makeCertificate('first'), makeCertificate('second')];
      const { toml, write, folder } = certificateFiles(first);
      const { server, rewrite } = await startConfigured(transport, toml);
      const reload = () =>
        ask(server.adminPort, '/__admin/reload', { ca: first.cert, method: 'POST' });
      write({ cert: second.cert, key: first.key });
      const mixed = await reload();
      assert.strictEqual(mixed.status, 400);
      assert.include(mixed.body, 'cannot be used');
      rewrite(`tls_cert = "${folder}/absent.pem"\ntls_key = "${folder}/key.pem"\n`);
      assert.match((await reload()).body, /cannot read tls_cert.*absent\.pem/);
      // TLS cannot be switched off in a listener that has it.
      write(first);
      rewrite('');
      const off = await reload();
      assert.deepEqual(JSON.parse(off.body), {
        status: 'reload_requested',
        restart_required: ['tls_cert', 'tls_key'],
      });
      const shown = await ask(server.port, '/healthz', { ca: first.cert });
      assert.strictEqual(shown.certificate, 'first');
    });

    it('changes neither listener when one of them cannot use the new key', async () => {
      const first = makeCertificate('first');
      const { toml, write } = certificateFiles(first);
      const { server } = await startConfigured(transport, toml);
      // Node's library knows this curve, that of uWebSockets.js does not.
      write(makeCertificate('odd', 'secp256k1'));
      const reload = { ca: first.cert, method: 'POST' };
      const answer = await ask(server.adminPort, '/__admin/reload', reload);
      assert.strictEqual(answer.status, transport === 'uws' ? 400 : 202);
      if (transport === 'uws') {
        assert.match(answer.body, /uWebSockets\.js cannot use tls_cert/);
        for (const port of [server.port, server.adminPort]) {
          assert.strictEqual(
            (await ask(port, '/healthz', { ca: first.cert })).certificate,
            'first',
          );
        }
      }
      assert.strictEqual((await server.stop()).code, 0);
    });

    it('rejects versions before 1.2', async () => {
      const certificate = makeCertificate('first');
      const { toml } = certificateFiles(certificate);
      const { server } = await startConfigured(transport, toml);
      const spoken = async (version: SecureVersion): Promise<boolean> =>
        new Promise((resolve) => {
          const socket = connect({
            host: '127.0.0.1',
            port: server.port,
            ca: certificate.cert,
            minVersion: version,
            maxVersion: version,
            // Without it the client would refuse the old versions.
            ciphers: 'DEFAULT@SECLEVEL=0',
          });
          socket.on('secureConnect', () => {
            socket.destroy();
            resolve(true);
          });
          socket.on('error', () => {
            resolve(false);
          });
        });
      assert.deepEqual(
        [await spoken('TLSv1.3'), await spoken('TLSv1.2'), await spoken('TLSv1.1')],
        [true, true, false],
      );
    });

    it('with unusable files stops the start, and names the files', async () => {
      const { folder } = certificateFiles(makeCertificate('first'));
      writeFileSync(path.join(folder, 'key.pem'), 'no key');
      const args = ['--tls-cert', `${folder}/cert.pem`, '--tls-key', `${folder}/key.pem`];
      const data = ['--data-dir', temporaryDirectory(), '--transport', transport];
      const { code, output } = await runCommand(['serve', ...data, ...args]);
      assert.strictEqual(code, 2, output);
      assert.include(output, `${folder}/key.pem cannot be used`);
      const check = await runCommand(['config', 'check', ...args]);
      assert.strictEqual(check.code, 2);
      // After the start's lines about the database.
      assert.strictEqual(check.output, /^seriesdb: .*\n/m.exec(output)?.[0]);
    });
  });
}
