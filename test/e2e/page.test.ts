/** The built-in page as served: encodings, headers, and access. */

import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { assert } from 'chai';

import { transports } from '../support/http-server.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Asked {
  readonly method?: string;
  readonly headers?: http.OutgoingHttpHeaders;
}

/** A client that adds no headers of its own. */
function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {} }: Asked = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ port, path, method, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => {
        const { statusCode: status = 0, headers: found } = response;
        resolve({ status, headers: found, body: Buffer.concat(pieces) });
      });
    });
    request.on('error', reject);
    request.end();
  });
}

/** The names that the page loads. */
const namesIn = ({ body }: Answer): readonly string[] =>
  [...body.toString().matchAll(/(?:src|href)="(ui\/[^"]+)"/g)].map(([, name = '']) => name);

const named = (names: readonly string[], pattern: RegExp): string =>
  `/${names.find((name) => pattern.test(name)) ?? 'none'}`;

for (const { name: transport } of transports) {
  describe(`the files of the built-in page: ${transport}`, () => {
    let server: Server;
    before(async () => {
      server = await startServer({
        dataDir: temporaryDirectory(),
        args: ['--transport', transport],
      });
    });
    after(killServers);

    it('include the page at /, with a policy against foreign content', async () => {
      const { status, headers, body } = await ask(server.port, '/');
      assert.strictEqual(status, 200);
      assert.strictEqual(headers['content-type'], 'text/html; charset=utf-8');
      assert.match(body.toString(), /^<!doctype html>/);
      assert.notMatch(body.toString(), /https?:\/\/|<script>|<style|style="| on\w+="/);
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
      assert.include(policy, "frame-ancestors 'none'; require-trusted-types-for 'script'");
      assert.notInclude(policy, 'unsafe');
      const told = ['x-content-type-options', 'referrer-policy', 'cross-origin-opener-policy'];
      assert.deepEqual(
        told.map((key) => headers[key]),
        ['nosniff', 'no-referrer', 'same-origin'],
      );
      assert.strictEqual(headers['cross-origin-resource-policy'], 'same-origin');
      assert.strictEqual(headers['cache-control'], 'no-cache');
    });

    it('are not sent again to a client that has them', async () => {
      for (const coding of ['identity', 'gzip', 'br']) {
        const first = await ask(server.port, '/', { headers: { 'accept-encoding': coding } });
        const etag = String(first.headers.etag);
        assert.match(etag, /^"[\w-]+"$/);
        for (const tag of [etag, `"other", W/${etag}`, '*']) {
          const headers = { 'accept-encoding': coding, 'if-none-match': tag };
          const again = await ask(server.port, '/', { headers });
          assert.strictEqual(again.status, 304);
          assert.strictEqual(again.headers.etag, etag);
          assert.strictEqual(again.body.length, 0);
          assert.notProperty(again.headers, 'content-length');
          assert.notProperty(again.headers, 'content-type');
        }
        const other = await ask(server.port, '/', { headers: { 'if-none-match': '"other"' } });
        assert.strictEqual(other.status, 200);
      }
    });

    it('are sent in an encoding that the client accepts, each with its own ETag', async () => {
      const names = namesIn(await ask(server.port, '/'));
      const script = named(names, /main-.*\.js$/);
      const forms = await Promise.all(
        ['identity', 'gzip', 'gzip, deflate, br', 'br;q=0, gzip', 'zstd'].map((accepted) =>
          ask(server.port, script, { headers: { 'accept-encoding': accepted } }),
        ),
      );
      const codings = forms.map(({ headers }) => headers['content-encoding'] ?? 'none');
      assert.deepEqual(codings, ['none', 'gzip', 'br', 'gzip', 'none']);
      const [plain, zipped, brotli] = forms.map(({ body }) => body);
      assert.deepEqual(gunzipSync(zipped ?? ''), plain);
      assert.deepEqual(brotliDecompressSync(brotli ?? ''), plain);
      assert.strictEqual(new Set(forms.map(({ headers }) => headers.etag)).size, 3);
      for (const { headers } of forms) {
        assert.strictEqual(headers['content-type'], 'text/javascript; charset=utf-8');
        assert.strictEqual(headers['cache-control'], 'public, max-age=31536000, immutable');
        assert.strictEqual(headers.vary, 'Accept-Encoding');
      }
    });

    it('answer HEAD with the length of GET, and keep the connection open', async () => {
      const names = namesIn(await ask(server.port, '/'));
      for (const path of [
        '/',
        named(names, /\.css$/),
        named(names, /\.svg$/),
        '/ui/licenses.txt',
      ]) {
        const head = await ask(server.port, path, { method: 'HEAD' });
        const whole = await ask(server.port, path);
        assert.strictEqual(head.status, 200, path);
        assert.strictEqual(head.headers['content-length'], String(whole.body.length));
        assert.strictEqual(head.body.length, 0);
      }
    });

    it('are the only ones: names of another build or other files are 404', async () => {
      const gone = ['main-AAAAAAAA.js', 'manifest.json', 'page.html', '', '..%2fmanifest.json'];
      for (const name of [...gone, '%2e%2e/commit.txt', 'main.js?name=licenses.txt', 'a/b']) {
        const { status, headers, body } = await ask(server.port, `/ui/${name}`);
        assert.strictEqual(status, 404, name);
        assert.strictEqual(headers['content-type'], 'application/json');
        assert.include(body.toString(), '"not_found"');
      }
      assert.strictEqual((await ask(server.port, '/', { method: 'POST' })).status, 405);
      assert.strictEqual((await ask(server.port, '/__admin/status')).status, 404);
    });

    it('can be linked to by other sites, which can request nothing else', async () => {
      const linked = { 'sec-fetch-site': 'cross-site' };
      const script = named(namesIn(await ask(server.port, '/')), /\.js$/);
      assert.strictEqual((await ask(server.port, '/', { headers: linked })).status, 200);
      for (const path of [script, '/status', '/api/v1/seriesql']) {
        assert.strictEqual((await ask(server.port, path, { headers: linked })).status, 403, path);
      }
      const foreign = [{ host: 'evil.example' }, { origin: 'http://evil.example' }];
      for (const headers of foreign) {
        assert.strictEqual((await ask(server.port, '/', { headers })).status, 403);
      }
    });
  });
}

describe('the built-in page of a server', () => {
  after(killServers);

  it('is absent with ui = false', async () => {
    const server = await startServer({ dataDir: temporaryDirectory(), args: ['--ui', 'false'] });
    for (const path of ['/', '/ui/licenses.txt']) {
      assert.strictEqual((await ask(server.port, path)).status, 404);
    }
  });

  it('needs no token, and accepts any host name if the API needs one', async () => {
    const env = { SERIESDB_AUTH_TOKEN: 'a-token' };
    const server = await startServer({ dataDir: temporaryDirectory(), env });
    const headers = { host: 'metrics.example' };
    assert.strictEqual((await ask(server.port, '/', { headers })).status, 200);
    assert.strictEqual((await ask(server.port, '/ui/licenses.txt', { headers })).status, 200);
    assert.strictEqual((await ask(server.port, '/api/v1/metrics/find', { headers })).status, 401);
  });

  it('is counted by its routes, not by the names of its files', async () => {
    const server = await startServer({ dataDir: temporaryDirectory() });
    await ask(server.port, '/ui/licenses.txt');
    await ask(server.port, '/');
    const text = (await ask(server.port, '/metrics')).body.toString();
    assert.match(text, /seriesdb_http_requests_total\{[^}]*route="\/ui\/\{name\}"[^}]*\} 1/);
    assert.match(text, /seriesdb_http_requests_total\{[^}]*route="\/"[^}]*\} 1/);
  });
});
