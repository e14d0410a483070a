/** Named tokens of a real server: the rights of each, and changes at run time. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { ask, startConfigured, transportNames } from '../support/admin-server.js';
import { digestOf, type TokenEntry } from '../../src/http/auth/token.js';
import { printEntry } from '../../src/http/auth/token-file.js';
import { pause } from '../support/http-server.js';
import {
  killServers,
  removeDirectory,
  runCommand,
  serveArguments,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const sample = '{"metric":"m","ts":1,"value":1}\n';

const entry = (name: string, ...scopes: TokenEntry['scopes']): string =>
  printEntry({ name, scopes, digest: digestOf(`secret-${name}`) });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

for (const transport of transportNames) {
  describe(`named tokens over ${transport}`, function () {
    this.timeout(60_000);
    let folder = '';
    let file = '';
    beforeEach(() => {
      folder = temporaryDirectory();
      file = path.join(folder, 'tokens.toml');
    });
    afterEach(async () => {
      await killServers();
      removeDirectory(folder);
    });

    async function start(tokens: string, more = ''): Promise<Server> {
      writeFileSync(file, tokens);
      const { server } = await startConfigured(transport, `tokens_file = "${file}"\n${more}`);
      return server;
    }

    const write = async (server: Server, token: string): Promise<number> =>
      (
        await ask(server.port, '/api/v1/ingest', {
          method: 'POST',
          headers: bearer(token),
          body: sample,
        })
      ).status;
    const query = async (server: Server, token: string, body: string): Promise<number> =>
      (await ask(server.port, '/api/v1/seriesql', { method: 'POST', headers: bearer(token), body }))
        .status;
    const reload = (server: Server, token: string) =>
      ask(server.adminPort, '/__admin/reload', { method: 'POST', headers: bearer(token) });

    it('are limited to their scopes, beside the tokens of the settings', async () => {
      const tokens = entry('in', 'write') + entry('out', 'read') + entry('op', 'admin');
      const own = 'auth_token = "all"\n[admin]\ntoken = "boss"\n';
      const server = await start(tokens, own);
      const statuses = async (askAs: (token: string) => Promise<number>): Promise<number[]> => {
        const found = [];
        for (const token of ['secret-in', 'secret-out', 'secret-op', 'all', 'boss', 'none']) {
          found.push(await askAs(token));
        }
        return found;
      };
      assert.deepEqual(
        await statuses((token) => write(server, token)),
        [200, 403, 403, 200, 401, 401],
      );
      const select = (token: string) =>
        query(server, token, 'select time, value from m where time >= 0');
      assert.deepEqual(await statuses(select), [403, 200, 403, 200, 401, 401]);
      const remove = (token: string) =>
        query(server, token, 'delete from m where time between 5 and 6');
      assert.deepEqual(await statuses(remove), [200, 403, 403, 200, 401, 401]);
      const operate = async (token: string) =>
        (await ask(server.adminPort, '/__admin/status', { headers: bearer(token) })).status;
      assert.deepEqual(await statuses(operate), [403, 403, 200, 401, 200, 401]);
      assert.match(server.printed(), /"a request was refused","address":"127\.0\.0\.1"/);
      assert.match(server.printed(), /an admin request was refused.*"caller":"in"/);
      assert.notMatch(server.printed(), /secret-/);
    });

    it('change with a reload, by request or signal, while requests go on', async () => {
      const server = await start(entry('old', 'write', 'admin'));
      assert.deepEqual(
        [await write(server, 'secret-old'), await write(server, 'secret-new')],
        [200, 401],
      );
      writeFileSync(file, entry('old', 'read', 'admin') + entry('new', 'write', 'admin'));
      assert.strictEqual(await write(server, 'secret-new'), 401);
      assert.strictEqual((await reload(server, 'secret-old')).status, 202);
      assert.deepEqual(
        [await write(server, 'secret-old'), await write(server, 'secret-new')],
        [403, 200],
      );
      writeFileSync(file, '');
      process.kill(server.pid, 'SIGHUP');
      while ((await write(server, 'secret-new')) !== 401) await pause(20);
      assert.strictEqual((await reload(server, 'secret-new')).status, 401);
      // No token is left, which opens nothing.
      assert.strictEqual((await ask(server.adminPort, '/__admin/status')).status, 401);
    });

    it('stay in force when a reload finds a bad file, and the reload says why', async () => {
      const server = await start(entry('a', 'write', 'admin'));
      const bad: readonly (readonly [string, RegExp])[] = [
        [`${entry('b', 'write')}[[token]]\nname = "c"\n`, /tokens\.toml, line 5: sha256 must be/],
        [`${entry('b', 'write')}sha256 = "secret-b`, /tokens\.toml is not valid TOML at line 5/],
      ];
      for (const [text, reason] of bad) {
        writeFileSync(file, text);
        const answer = await reload(server, 'secret-a');
        assert.strictEqual(answer.status, 400);
        assert.match(answer.body, /"code":"invalid_configuration"/);
        assert.match(answer.body, reason);
        // The line of the log comes through another pipe than the answer.
        while (!reason.test(server.printed())) await pause(20);
        assert.deepEqual(
          [await write(server, 'secret-a'), await write(server, 'secret-b')],
          [200, 401],
        );
      }
      assert.match(server.printed(), /the settings were not reloaded; nothing was changed/);
      assert.notMatch(server.printed(), /secret-/);
    });

    it('with a bad file stop the start and fail the config check', async () => {
      writeFileSync(file, `# whose\n${entry('a', 'read')}${entry('a', 'write')}`);
      const env = { SERIESDB_TOKENS_FILE: file };
      for (const args of [serveArguments({ dataDir: folder }), ['config', 'check']]) {
        const { code, output } = await runCommand(args, env);
        assert.strictEqual(code, 2);
        assert.match(output, /tokens\.toml, line 6: another token already has the name a/);
      }
    });
  });
}
