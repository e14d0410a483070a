import { assert } from 'chai';

import {
  ask,
  lastLine,
  startConfigured,
  transportNames,
  type Asked,
} from '../support/admin-server.js';
import { pause } from '../support/http-server.js';
import {
  killServers,
  runCommand,
  serveArguments,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

const sample = '{"metric":"m","ts":1,"value":1}\n';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function fault(answer: Asked): readonly [number, string] {
  const body = JSON.parse(answer.body) as Record<string, unknown>;
  assert.deepEqual(Object.keys(body), ['error', 'code', 'status']);
  assert.strictEqual(body['status'], answer.status);
  return [answer.status, String(body['code'])];
}

for (const transport of transportNames) {
  describe(`the admin listener over ${transport}`, function () {
    this.timeout(60_000);
    afterEach(killServers);

    it('accepts this machine when neither a token nor an allow list is set', async () => {
      const { server, dataDir } = await startConfigured(transport, '');
      const answer = await ask(server.adminPort, '/__admin/status');
      assert.strictEqual(answer.status, 200);
      const status = JSON.parse(answer.body) as Record<string, unknown>;
      assert.deepInclude(status, { pid: server.pid, data_dir: dataDir, transport, tls: false });
      const admin = { enabled: true, listen: `127.0.0.1:${String(server.adminPort)}` };
      assert.deepEqual(status['admin'], admin);
      assert.isAbove(Number(status['uptime_seconds']), 0);
      assert.isAtMost(Date.parse(String(status['started_at'])), Date.now());
      assert.match(String(status['version']), /^\d+\.\d+\.\d+/);
      const head = await ask(server.adminPort, '/__admin/status', { method: 'HEAD' });
      assert.deepEqual([head.status, head.body], [200, '']);
    });

    it('checks the token and the socket address, and trusts no address in a header', async () => {
      const toml = '[admin]\nallow = ["127.0.0.2", "127.0.3.0/24"]\ntoken = "sesame"\n';
      const { server } = await startConfigured(transport, toml);
      const from = (address: string, headers: Record<string, string> = {}) =>
        ask(server.adminPort, '/__admin/status', { from: address, headers });
      const claimed = { 'x-forwarded-for': '127.0.0.2', forwarded: 'for=127.0.0.2' };
      const elsewhere = await from('127.0.0.1', { ...bearer('sesame'), ...claimed });
      assert.deepEqual(fault(elsewhere), [403, 'forbidden']);
      const without = await from('127.0.0.2');
      assert.deepEqual(fault(without), [401, 'unauthorized']);
      assert.strictEqual(without.headers['www-authenticate'], 'Bearer');
      assert.deepEqual(fault(await from('127.0.3.9', bearer('wrong'))), [401, 'unauthorized']);
      assert.strictEqual((await from('127.0.3.9', bearer('sesame'))).status, 200);
      assert.match(
        server.printed(),
        /request was refused","address":"127.0.0.1","code":"forbidden"/,
      );
      assert.notInclude(server.printed(), 'sesame');
      // Without authorization, no answer reveals which paths exist.
      const guess = await ask(server.adminPort, '/__admin/x', { from: '127.0.0.2' });
      assert.strictEqual(guess.status, 401);
    });

    it('shares no route with the public listener', async () => {
      const { server } = await startConfigured(transport, '');
      const paths = ['status', 'config', 'reload', 'flush', 'compact', 'migrate'].map(
        (name) => `/__admin/${name}`,
      );
      for (const target of paths) {
        for (const method of ['GET', 'POST']) {
          const answer = await ask(server.port, target, { method });
          assert.deepEqual(fault(answer), [404, 'not_found'], target);
        }
      }
      for (const target of ['/status', '/metrics', '/healthz', '/api/v1/ingest', '/']) {
        assert.deepEqual(fault(await ask(server.adminPort, target)), [404, 'not_found'], target);
      }
      const wrong = await ask(server.adminPort, '/__admin/reload');
      assert.deepEqual(fault(wrong), [405, 'method_not_allowed']);
      assert.strictEqual(wrong.headers.allow, 'POST');
    });

    it('shows every setting with its source, and no secret', async () => {
      const toml = 'auth_token = "hidden"\nmax_series = 9\n[admin]\ntoken = "hidden"\n';
      const { server } = await startConfigured(transport, toml, {
        env: { SERIESDB_MAX_LINE_BYTES: '4KiB' },
      });
      const answer = await ask(server.adminPort, '/__admin/config', { headers: bearer('hidden') });
      assert.notInclude(answer.body, 'hidden');
      const { settings } = JSON.parse(answer.body) as { settings: Record<string, unknown> };
      assert.deepEqual(settings['auth_token'], { value: '<redacted>', source: 'file' });
      assert.deepEqual(settings['admin.token'], { value: '<redacted>', source: 'file' });
      assert.deepEqual(settings['max_series'], { value: 9, source: 'file' });
      assert.deepEqual(settings['max_line_bytes'], { value: 4096, source: 'environment' });
      assert.deepEqual(settings['transport'], { value: transport, source: 'flag' });
      assert.deepEqual(settings['fsync_interval_ms'], { value: 1000, source: 'default' });
      assert.notInclude(server.printed(), 'hidden');
    });

    it('a reload changes tokens, limits and log level, and names the rest', async () => {
      const { server, rewrite } = await startConfigured(transport, 'auth_token = "one"\n');
      const ingest = (token: string, body = sample) =>
        ask(server.port, '/api/v1/ingest', { method: 'POST', headers: bearer(token), body });
      const reload = (headers = {}) =>
        ask(server.adminPort, '/__admin/reload', { method: 'POST', headers });
      assert.strictEqual((await ingest('one')).status, 200);
      rewrite(
        'auth_token = "two"\nmax_body_bytes = 200\nmax_line_bytes = 100\nmax_series = 3\n' +
          '[admin]\ntoken = "admin"\n',
      );
      const answer = await reload();
      assert.deepEqual(
        [answer.status, JSON.parse(answer.body)],
        [202, { status: 'reload_requested', restart_required: ['max_series'] }],
      );
      assert.deepEqual(fault(await ingest('one')), [401, 'unauthorized']);
      assert.strictEqual((await ingest('two')).status, 200);
      const long = `{"metric":"${'m'.repeat(90)}","ts":1,"value":1}\n`;
      assert.deepEqual(fault(await ingest('two', long)), [413, 'line_too_long']);
      assert.deepEqual(fault(await ingest('two', sample.repeat(9))), [413, 'payload_too_large']);
      assert.deepEqual(fault(await reload()), [401, 'unauthorized']);
      const shown = await ask(server.adminPort, '/__admin/config', { headers: bearer('admin') });
      const { settings, restart_required: waiting } = JSON.parse(shown.body) as {
        settings: Record<string, unknown>;
        restart_required: unknown;
      };
      assert.deepEqual(settings['max_series'], { value: 0, source: 'default' });
      assert.deepEqual(waiting, ['max_series']);
      rewrite('[admin]\ntoken = "admin"\n');
      const back = await reload(bearer('admin'));
      assert.deepEqual([back.status, back.body], [202, '{"status":"reload_requested"}']);
      assert.strictEqual((await ask(server.port, '/api/v1/query/range')).status, 400);
      assert.notMatch(server.printed(), /"one"|"two"|"admin"/);
    });

    it('changes nothing when the new file is bad, and says why', async () => {
      const { server, rewrite } = await startConfigured(transport, 'auth_token = "one"\n');
      const bad: readonly (readonly [string, RegExp])[] = [
        ['auth_token = ""\n', /auth_token must not be empty/],
        ['auth_tokn = "two"\n', /auth_tokn; did you mean auth_token/],
        ['auth_token = "two"\nlog_level = "loud"\n', /log_level must be one of/],
        ['auth_token = "two"\n[admin]\nallow = ["10.0.0.0/40"]\n', /admin.allow holds/],
        ['auth_token = "two', /not valid TOML/],
        ['auth_token = "two"\ntls_cert = "a"\n', /tls_key is missing/],
      ];
      for (const [toml, reason] of bad) {
        rewrite(toml);
        const answer = await ask(server.adminPort, '/__admin/reload', { method: 'POST' });
        assert.deepEqual(fault(answer), [400, 'invalid_configuration']);
        assert.match(answer.body, reason);
        assert.notInclude(answer.body, 'two');
        const old = { method: 'POST', headers: bearer('one'), body: sample };
        assert.strictEqual((await ask(server.port, '/api/v1/ingest', old)).status, 200);
      }
      assert.include(server.printed(), 'nothing was changed');
      assert.strictEqual((await server.stop()).code, 0);
    });

    it('reloads on SIGHUP, and survives a bad settings file', async () => {
      const { server, rewrite } = await startConfigured(transport, 'auth_token = "one"\n');
      const status = async (token: string) =>
        (await ask(server.port, '/api/v1/query/range', { headers: bearer(token) })).status;
      rewrite('auth_token = "two"\nlog_level = "debug"\n');
      server.hangUp();
      for (let waited = 0; (await status('two')) === 401 && waited < 500; waited += 1) {
        await pause(20);
      }
      assert.deepEqual([await status('one'), await status('two')], [401, 400]);
      rewrite('auth_token = 3\n');
      server.hangUp();
      for (
        let waited = 0;
        !server.printed().includes('must be a string') && waited < 500;
        waited += 1
      ) {
        await pause(20);
      }
      assert.match(server.printed(), /"level":"error".*nothing was changed.*auth_token must be/);
      assert.strictEqual(await status('two'), 400);
      assert.strictEqual((await server.stop()).code, 0);
    });

    it('flushes what is in memory', async () => {
      const { server } = await startConfigured(transport, '');
      await ask(server.port, '/api/v1/ingest', { method: 'POST', body: sample });
      const answer = await ask(server.adminPort, '/__admin/flush', { method: 'POST' });
      assert.deepEqual([answer.status, answer.body], [200, '{"status":"flushed"}']);
      const metrics = (await ask(server.port, '/metrics')).body;
      assert.match(metrics, /^seriesdb_flush_points_total 1$/m);
    });

    it('compacts segments on request without losing a sample', async () => {
      const { server } = await startConfigured(transport, '');
      for (let at = 0; at < 3; at++) {
        const body = sample.replace(/"ts":\d+/, `"ts":${String(at)}`);
        await ask(server.port, '/api/v1/ingest', { method: 'POST', body });
        await ask(server.adminPort, '/__admin/flush', { method: 'POST' });
      }
      const answer = await ask(server.adminPort, '/__admin/compact', { method: 'POST' });
      assert.strictEqual(answer.status, 200, answer.body);
      const report = lastLine(answer.body);
      assert.strictEqual(report['status'], 'compacted');
      assert.deepEqual([report['segments_before'], report['segments_after']], [3, 1]);
      assert.isBelow(Number(report['bytes_after']), Number(report['bytes_before']));
      const metrics = (await ask(server.port, '/metrics')).body;
      assert.match(metrics, /^seriesdb_segments 1$/m);
      assert.match(metrics, /^seriesdb_segment_samples 3$/m);
    });
  });
}

describe('the start of the admin listener', function () {
  this.timeout(60_000);
  afterEach(killServers);

  const refused: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ ADMIN_ENABLED: 'maybe' }, /ADMIN_ENABLED must be true or false/],
    [{ ADMIN_ALLOW: '10.0.0.0/8,10.0.0' }, /ADMIN_ALLOW holds "10.0.0"/],
    [{ ADMIN_LISTEN: '9090' }, /ADMIN_LISTEN must be host:port/],
    [{ SERIESDB_CAS_MODE: 'off' }, /metadata_read_mode must be legacy/],
    [{ SERIESDB_AUTH_TOKEN: '' }, /SERIESDB_AUTH_TOKEN must not be empty/],
  ];
  for (const [env, message] of refused) {
    it(`is refused with ${JSON.stringify(env)}, by serve and by config check`, async () => {
      for (const args of [serveArguments({ dataDir: temporaryDirectory() }), ['config', 'check']]) {
        const { code, output } = await runCommand(args, env);
        assert.strictEqual(code, 2, output);
        assert.match(output, message);
      }
    });
  }

  it('does not happen unless it is enabled', async () => {
    const { server } = await startConfigured('node', '', {
      env: { SERIESDB_ADMIN_ENABLED: 'false' },
    });
    assert.isNull(server.adminPort);
  });

  it('fails when the port is taken, and releases the data directory', async () => {
    const first = await startConfigured('node', '');
    const dataDir = temporaryDirectory();
    const listen = `127.0.0.1:${String(first.server.port)}`;
    const env = { ADMIN_ENABLED: 'true', ADMIN_LISTEN: listen };
    const failed = await runCommand(serveArguments({ dataDir }), env);
    assert.strictEqual(failed.code, 1);
    assert.include(failed.output, `cannot listen on ${listen}`);
    const next = await startServer({ dataDir });
    assert.strictEqual((await next.stop()).code, 0);
  });

  for (const transport of transportNames) {
    it(`distinguishes an unresolvable name from a port in use, over ${transport}`, async () => {
      const listen = ['--listen', 'no-such-host.invalid:8080', '--transport', transport];
      const failed = await runCommand(['serve', '--data-dir', temporaryDirectory(), ...listen]);
      assert.strictEqual(failed.code, 1);
      assert.include(failed.output, 'cannot listen on no-such-host.invalid:8080');
      assert.match(failed.output, /does not resolve|ENOTFOUND|EAI_AGAIN/);
      assert.notInclude(failed.output, 'port in use');
    });
  }

  it('warns about a public listener that is open to the network, in log and status', async () => {
    const args = ['--listen', '0.0.0.0:0'];
    const { server, rewrite } = await startConfigured('node', '', { args });
    assert.match(server.printed(), /"level":"warn".*open to the network/);
    const shown = async (): Promise<readonly unknown[]> => {
      const { body } = await ask(server.port, '/status');
      const status = JSON.parse(body) as { warnings?: unknown; auth_required: unknown };
      return [status.auth_required, status.warnings];
    };
    const [isAuthRequired, warnings] = await shown();
    assert.isFalse(isAuthRequired);
    assert.match(String(warnings), /open to the network: auth_token is not set/);
    rewrite('auth_token = "x"\n');
    await ask(server.adminPort, '/__admin/reload', { method: 'POST' });
    assert.deepEqual(await shown(), [true, undefined]);
    const guarded = await startConfigured('node', 'auth_token = "x"\n', { args });
    assert.notInclude(guarded.server.printed(), 'open to the network');
  });

  for (const uws of transportNames.filter((one) => one === 'uws')) {
    it('warns about uWebSockets.js when other machines can reach it', async () => {
      const warned = async (listen: string): Promise<string> => {
        const args = ['--listen', listen];
        const { server } = await startConfigured(uws, 'auth_token = "x"\n', { args });
        const { body } = await ask(server.port, '/status');
        assert.strictEqual(server.printed().includes('misreads'), body.includes('misreads'));
        return body;
      };
      assert.include(await warned('0.0.0.0:0'), 'misreads some requests');
      assert.notInclude(await warned('127.0.0.1:0'), 'misreads');
    });
  }
});
