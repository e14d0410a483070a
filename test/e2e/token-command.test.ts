/** `seriesdb token`, and a server that accepts its tokens. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { digestOf } from '../../src/http/auth/token.js';
import { ask } from '../support/admin-server.js';
import { runCli } from '../support/cli.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

describe('seriesdb token', function () {
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
  const token = (...args: string[]) => runCli(['token', ...args]);

  it('prints a secret and the entry with its hash, and writes no file', async () => {
    const { code, out, err } = await token('new', 'in', '--scope', 'write,read');
    assert.deepEqual([code, err], [0, '']);
    const [secret = ''] = out.split('\n');
    assert.match(secret, /^sdb_[\w-]{43}$/);
    const hash = digestOf(secret).toString('hex');
    const entry = `[[token]]\nname = "in"\nscopes = ["read", "write"]\nsha256 = "${hash}"\n`;
    assert.strictEqual(out, `${secret}\n\n${entry}`);
  });

  it('appends to a file that a server accepts, and lists it without hashes', async () => {
    // The last line of a handmade file may lack a line end.
    writeFileSync(file, '# ours', { mode: 0o640 });
    const secrets: string[] = [];
    for (const [name, scopes] of [
      ['in', 'write'],
      ['out', 'read,admin'],
    ] as const) {
      const { code, out } = await token('new', name, '--scope', scopes, '--into', file);
      assert.strictEqual(code, 0);
      assert.match(out, /^sdb_[\w-]{43}\n$/);
      secrets.push(out.trim());
      assert.notInclude(readFileSync(file, 'utf8'), out.trim());
    }
    const listed = await token('list', file);
    assert.strictEqual(listed.out, 'NAME  SCOPES\nin    write\nout   read, admin\n');
    const json = await token('list', file, '--json');
    assert.deepEqual(JSON.parse(json.out), [
      { name: 'in', scopes: ['write'] },
      { name: 'out', scopes: ['read', 'admin'] },
    ]);
    const server = await startServer({ dataDir: folder, args: ['--tokens-file', file] });
    const statuses = [];
    for (const secret of [...secrets, 'sdb_none']) {
      const headers = { authorization: `Bearer ${secret}` };
      const asked = { method: 'POST', headers, body: 'show metrics' };
      statuses.push((await ask(server.port, '/api/v1/seriesql', asked)).status);
    }
    assert.deepEqual(statuses, [403, 200, 401]);
  });

  it('binds a token to labels', async () => {
    const labels = ['--label', 'tenant=a=b', '--label', 'team=x y'];
    const bound = ['--scope', 'read,write', ...labels, '--into', file];
    assert.strictEqual((await token('new', 'a', ...bound)).code, 0);
    assert.include(readFileSync(file, 'utf8'), 'labels = { "tenant" = "a=b", "team" = "x y" }\n');
    await token('new', 'in', '--scope', 'write', '--into', file);
    const { out } = await token('list', file);
    assert.include(out, 'NAME  SCOPES       LABELS\na     read, write  tenant=a=b, team=x y\nin ');
    const [first] = JSON.parse((await token('list', file, '--json')).out) as unknown[];
    const shown = { name: 'a', scopes: ['read', 'write'], labels: { tenant: 'a=b', team: 'x y' } };
    assert.deepEqual(first, shown);
  });

  it('creates the file readable by its owner only', async () => {
    const { code } = await token('new', 'in', '--scope', 'read', '--into', file);
    assert.deepEqual([code, statSync(file).mode & 0o777], [0, 0o600]);
  });

  it('leaves a file unchanged that has the name already, or is not a token file', async () => {
    await token('new', 'in', '--scope', 'read', '--into', file);
    const before = readFileSync(file, 'utf8');
    const again = await token('new', 'in', '--scope', 'write', '--into', file);
    assert.deepEqual([again.code, again.out], [1, '']);
    assert.match(again.err, /another token already has the name in/);
    assert.strictEqual(readFileSync(file, 'utf8'), before);
    writeFileSync(file, 'listen = "127.0.0.1:0"\n');
    const settings = await token('new', 'in', '--scope', 'write', '--into', file);
    assert.deepEqual([settings.code, settings.out], [1, '']);
    assert.match(settings.err, /"listen" is unknown; token is/);
    assert.strictEqual(readFileSync(file, 'utf8'), 'listen = "127.0.0.1:0"\n');
  });

  it('reports faulty arguments and a faulty file', async () => {
    const usage: readonly (readonly [readonly string[], RegExp])[] = [
      [['new', 'in'], /--scope/],
      [['new', 'in', '--scope', 'reed'], /some of read, write, admin/],
      [['new', 'in', '--scope', 'read,read'], /some of read, write, admin/],
      [['new', 'in', '--scope', ''], /some of read, write, admin/],
      [['new', 'a b', '--scope', 'read'], /1 to 64 letters/],
      [['new', 'a', '--scope', 'read', '--label', 'tenant'], /a label as tenant=a/],
      [['new', 'a', '--scope', 'read', '--label', '=a'], /a label as tenant=a/],
      [['new', 'a', '--scope', 'read', '--label', 'a=1', '--label', 'a=2'], /each once/],
      [['new', 'a', '--scope', 'admin', '--label', 'a=1'], /admin covers the whole server/],
      [['list'], /file/],
    ];
    for (const [args, reason] of usage) {
      const { code, out, err } = await token(...args);
      assert.deepEqual([code, out], [2, ''], args.join(' '));
      assert.match(err, reason);
    }
    const absent = path.join(folder, 'none/tokens.toml');
    const lost = await token('new', 'in', '--scope', 'read', '--into', absent);
    assert.deepEqual([lost.code, lost.out, existsSync(absent)], [1, '', false]);
    assert.match(lost.err, /cannot write .*none\/tokens\.toml: there is no such folder/);
    const none = await token('list', file);
    assert.strictEqual(none.code, 1);
    assert.match(none.err, /cannot read .*tokens\.toml/);
    writeFileSync(file, '');
    assert.deepEqual(await token('list', file), { code: 0, out: '', err: 'nothing found\n' });
  });
});
