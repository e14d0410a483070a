/**
 * Pages of other sites, and foreign names bound to our address. The tests write a browser's
 * requests to raw sockets, on both listeners of both HTTP servers.
 */
import { assert } from 'chai';

import { startConfigured, transportNames, type ConfiguredServer } from '../support/admin-server.js';
import { rawExchange } from '../support/client.js';
import { killServers, removeDirectory } from '../support/server.js';

const kToken = 'Authorization: Bearer sesame';
const kSettings = 'cors_origins = ["https://board.example"]\nhosts = ["DB.lan", "seriesdb"]\n';
const kGuarded =
  'auth_token = "sesame"\n' + kSettings + '[admin]\ntoken = "sesame"\nallow = ["127.0.0.1"]\n';

/** Values of `Host`. `PORT` is the port of the request. */
const knownHosts = [
  '127.0.0.1',
  '127.0.0.1:PORT',
  '127.0.0.1:1',
  '10.1.2.3',
  '[::1]',
  '[::1]:8080',
  '[2001:DB8::7]:8080',
  '[::ffff:127.0.0.1]',
  'localhost',
  'localhost:PORT',
  'LocalHost:8080',
  'localhost.',
  'localhost.:8080',
  'db.lan',
  'DB.LAN:8080',
  'db.lan.',
  'seriesdb:8080',
];

const unknownHosts = [
  'evil.example',
  'evil.example:PORT',
  'localhost.evil.example',
  'localhost.evil.example:8080',
  'evil.localhost',
  'notlocalhost',
  'localhost..',
  'localhost@evil.example',
  'evil.example#localhost',
  'localhost:8080:8080',
  'localhost:http',
  'localhost:99999',
  'localhost, evil.example',
  '127.0.0.1.evil.example',
  '127.0.0.1.evil.example:8080',
  '127.0.0.1.',
  '127.0.0.1.nip.io',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  '127.0.0.256',
  '[::1].evil.example',
  '[::1',
  '[::1]8080',
  '[127.0.0.1]',
  '[localhost]',
  '::1',
  'db.lan.evil.example',
  'evil-db.lan',
  'xdb.lan',
  'db',
];

/** A browser's headers for foreign pages; the Host is `localhost:PORT`. */
const foreignPages: readonly (readonly string[])[] = [
  ['Sec-Fetch-Site: cross-site'],
  ['Sec-Fetch-Site: same-site'],
  ['sec-fetch-site: Cross-Site'],
  ['Sec-Fetch-Site: none', 'Sec-Fetch-Site: cross-site'],
  ['Sec-Fetch-Site: cross-site', 'Origin: http://localhost:PORT'],
  ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-User: ?1'],
  ['Origin: http://evil.example'],
  ['Origin: http://evil.example', 'Sec-Fetch-Site: same-origin'],
  ['Origin: null'],
  ['Origin: '],
  ['Origin: localhost:PORT'],
  ['Origin: http://localhost'],
  ['Origin: http://localhost:1'],
  ['Origin: http://127.0.0.1:PORT'],
  ['Origin: http://localhost:PORT.evil.example'],
  ['Origin: http://localhost:PORT@evil.example'],
  ['Origin: http://evil.example@localhost:PORT'],
  ['Origin: http://localhost:PORT/'],
  ['Origin: http://localhost:PORT http://evil.example'],
  ['Origin: file://localhost:PORT'],
  ['Origin: https://board.example.evil.example'],
  ['Origin: http://board.example'],
];

/** A browser's headers for our own pages, and for a typed address. */
const ownPages: readonly (readonly string[])[] = [
  ['Sec-Fetch-Site: same-origin', 'Origin: http://localhost:PORT'],
  ['Sec-Fetch-Site: same-origin'],
  ['Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate'],
  ['Origin: http://localhost:PORT'],
  // Something before the server speaks TLS.
  ['Origin: https://localhost:PORT'],
];

const boardPages: readonly (readonly string[])[] = [
  ['Origin: https://board.example'],
  ['Origin: https://board.example', 'Sec-Fetch-Site: cross-site'],
];

interface Sent {
  readonly line?: string;
  readonly host?: string;
  readonly headers?: readonly string[];
}

/** The status and the code of the answer; the status alone if there is no code. */
async function answerOf(port: number, { line, host, headers = [] }: Sent): Promise<string> {
  const lines = [line ?? 'GET /status HTTP/1.1', `Host: ${host ?? 'localhost:PORT'}`, ...headers];
  const head = [...lines, 'Connection: close', '', ''].join('\r\n');
  const { text } = await rawExchange(port, head.replaceAll('PORT', String(port)), 5_000);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? `no answer: ${text}`;
  const code = /"code":"(\w+)"/.exec(text)?.[1];
  return code === undefined ? status : `${status} ${code}`;
}

const publicLines = [
  'GET /status HTTP/1.1',
  'GET /metrics HTTP/1.1',
  'GET /openapi.json HTTP/1.1',
  'GET /debug/compat/stats HTTP/1.1',
  'GET /no/such/path HTTP/1.1',
  'HEAD /status HTTP/1.1',
  'POST /healthz/ HTTP/1.1',
  'POST /api/v1/ingest HTTP/1.1',
  'GET /api/v1/query/range?metric=m&start=0&end=1 HTTP/1.1',
  'DELETE /api/v1/seriesql HTTP/1.1',
];
const adminLines = [
  'GET /__admin/status HTTP/1.1',
  'GET /__admin/config HTTP/1.1',
  'POST /__admin/reload HTTP/1.1',
  'POST /__admin/flush HTTP/1.1',
  'GET /healthz HTTP/1.1',
  'GET / HTTP/1.1',
];

for (const transport of transportNames) {
  describe(`a request with a foreign host or origin over ${transport}`, function () {
    this.timeout(60_000);
    const servers: ConfiguredServer[] = [];
    /** The public listener and the admin listener, each with a line that is answered with 200. */
    const start = async (settings: string) => {
      const one = await startConfigured(transport, settings);
      servers.push(one);
      const admin = { port: one.server.adminPort ?? 0, line: 'GET /__admin/status HTTP/1.1' };
      return { open: { port: one.server.port, line: 'GET /status HTTP/1.1' }, admin };
    };
    let free: Awaited<ReturnType<typeof start>>;
    let guarded: Awaited<ReturnType<typeof start>>;
    before(async () => {
      free = await start(kSettings);
      guarded = await start(kGuarded);
    });
    after(async () => {
      await killServers();
      for (const { dataDir } of servers) removeDirectory(dataDir);
    });

    it('an unknown host name is rejected if no token is set', async () => {
      for (const { port, line } of [free.open, free.admin]) {
        for (const host of unknownHosts) {
          assert.strictEqual(await answerOf(port, { line, host }), '403 forbidden_host', host);
        }
        for (const host of knownHosts) {
          assert.strictEqual(await answerOf(port, { line, host }), '200', host);
        }
      }
      for (const { port, line } of [guarded.open, guarded.admin]) {
        for (const host of unknownHosts) {
          const sent = { line, host, headers: [kToken] };
          assert.strictEqual(await answerOf(port, sent), '200', host);
        }
      }
    });

    it('a request without Host is accepted if it has no Origin', async () => {
      // uWebSockets.js does not speak HTTP/1.0, and HTTP/1.1 has a Host.
      const expected = transport === 'node' ? ['200', '403'] : ['505', '505'];
      for (const { port, line } of [free.open, free.admin]) {
        const old = `${line.replace('1.1', '1.0')}\r\n`;
        const statuses = [];
        for (const rest of ['\r\n', 'Origin: http://localhost\r\n\r\n']) {
          const { text } = await rawExchange(port, old + rest, 5_000);
          statuses.push(text.slice(9, 12));
        }
        assert.deepEqual(statuses, expected);
        const { text } = await rawExchange(port, `${line}\r\n\r\n`, 5_000);
        assert.match(text, /^HTTP\/1\.1 400 /);
      }
    });

    it('a foreign origin is rejected with and without a token', async () => {
      for (const { port, line } of [free.open, free.admin, guarded.open, guarded.admin]) {
        for (const page of foreignPages) {
          const sent = { line, headers: [...page, kToken] };
          assert.strictEqual(await answerOf(port, sent), '403 forbidden_origin', page.join());
        }
        for (const page of ownPages) {
          const sent = { line, headers: [...page, kToken] };
          assert.strictEqual(await answerOf(port, sent), '200', page.join());
        }
      }
    });

    it('an origin in cors_origins is accepted on the public listener only', async () => {
      for (const { open, admin } of [free, guarded]) {
        for (const page of boardPages) {
          const headers = [...page, kToken];
          assert.strictEqual(await answerOf(open.port, { headers }), '200', page.join());
          const sent = { line: admin.line, headers };
          assert.strictEqual(await answerOf(admin.port, sent), '403 forbidden_origin', page.join());
        }
      }
      // The origin's name differs from the server's.
      const rebound = { host: 'evil.example', headers: boardPages[0] ?? [] };
      assert.strictEqual(await answerOf(free.open.port, rebound), '403 forbidden_host');
    });

    it('it is rejected on every route, before token, path, method and body', async () => {
      const cases = [
        ...publicLines.map((line) => ({ port: free.open.port, line })),
        ...publicLines.map((line) => ({ port: guarded.open.port, line })),
        ...adminLines.map((line) => ({ port: free.admin.port, line })),
        ...adminLines.map((line) => ({ port: guarded.admin.port, line })),
      ];
      // The body never comes.
      const length = 'Content-Length: 1000000';
      const foreign = ['Origin: http://evil.example', length];
      for (const { port, line } of cases) {
        const expected = line.startsWith('HEAD') ? '403' : '403 forbidden_origin';
        assert.strictEqual(await answerOf(port, { line, headers: foreign }), expected, line);
      }
      for (const { port, line } of cases.filter((one) => one.port === free.open.port)) {
        const expected = line.startsWith('HEAD') ? '403' : '403 forbidden_host';
        const sent = { line, host: 'evil.example', headers: [length] };
        assert.strictEqual(await answerOf(port, sent), expected, line);
      }
    });

    it('a preflight of a foreign origin is rejected', async () => {
      const line = 'OPTIONS /api/v1/ingest HTTP/1.1';
      const asks = (origin: string): readonly string[] => [
        `Origin: ${origin}`,
        'Access-Control-Request-Method: POST',
      ];
      for (const { open, admin } of [free, guarded]) {
        const evil = { line, headers: asks('http://evil.example') };
        assert.strictEqual(await answerOf(open.port, evil), '403 forbidden_origin');
        assert.strictEqual(await answerOf(admin.port, evil), '403 forbidden_origin');
        const board = { line, headers: asks('https://board.example') };
        assert.strictEqual(await answerOf(open.port, board), '200');
        assert.strictEqual(await answerOf(admin.port, board), '403 forbidden_origin');
      }
    });

    it('it may request the health probes', async () => {
      const headers = ['Origin: http://evil.example', 'Sec-Fetch-Site: cross-site'];
      for (const { open } of [free, guarded]) {
        for (const path of ['/healthz', '/readyz']) {
          const sent = { line: `GET ${path} HTTP/1.1`, host: 'evil.example', headers };
          assert.strictEqual(await answerOf(open.port, sent), '200', path);
        }
      }
    });

    it('the admin listener logs the refusal', () => {
      const [one] = servers;
      assert.match(one?.server.printed() ?? '', /admin request was refused.*forbidden_host/);
      assert.match(one?.server.printed() ?? '', /admin request was refused.*forbidden_origin/);
    });
  });
}

describe('the accepted host names', function () {
  this.timeout(60_000);
  afterEach(killServers);

  it('follow a reload, and so does the token that makes them unnecessary', async () => {
    const { server, rewrite } = await startConfigured('node', '');
    const ask = () => answerOf(server.port, { host: 'db.lan' });
    const reload = async (settings: string): Promise<void> => {
      rewrite(settings);
      const line = 'POST /__admin/reload HTTP/1.1';
      assert.strictEqual(await answerOf(server.adminPort ?? 0, { line }), '202');
    };
    assert.strictEqual(await ask(), '403 forbidden_host');
    await reload('hosts = ["db.lan"]\n');
    assert.strictEqual(await ask(), '200');
    await reload('');
    assert.strictEqual(await ask(), '403 forbidden_host');
    await reload('auth_token = "sesame"\n');
    assert.strictEqual(await ask(), '200');
  });
});
