/** How commands find their server, and how they authenticate it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { startConfigured } from '../support/admin-server.js';
import { certificateFiles, makeCertificate } from '../support/certificate.js';
import { runCli } from '../support/cli.js';
import { refusal, startScriptedServer } from '../support/scripted-server.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';

describe('the connection of the command line', function () {
  this.timeout(120_000);
  after(killServers);

  it('accepts an address without a scheme', async () => {
    const server = await startServer({ dataDir: temporaryDirectory() });
    const { code, out } = await runCli(['status', '--url', `127.0.0.1:${String(server.port)}`]);
    assert.strictEqual(code, 0);
    assert.include(out, `at http://127.0.0.1:${String(server.port)},`);
    const none = await runCli(['status'], { env: { SDB_URL: '127.0.0.1:1' } });
    assert.match(none.err, /^seriesdb: no server answers at http:\/\/127\.0\.0\.1:1 /);
    for (const url of ['localhost', 'ftp://x:1', 'a b:1']) {
      const { code: wrong, err } = await runCli(['status', '--url', url]);
      assert.strictEqual(wrong, 2, url);
      assert.match(err, /address must be like http:\/\/127\.0\.0\.1:8080/);
    }
  });

  it('every command trusts the --ca certificate, and any with --insecure', async () => {
    const certificate = makeCertificate('first');
    const { toml, folder } = certificateFiles(certificate);
    const { server } = await startConfigured('node', toml);
    const url = `https://127.0.0.1:${String(server.port)}`;
    const ca = path.join(folder, 'cert.pem');
    for (const trust of [['--ca', ca], ['--insecure']]) {
      const { code, out, err } = await runCli(['query', 'select 1 as a', '--url', url, ...trust]);
      assert.deepEqual([code, out, err], [0, 'A\n1\n', '']);
    }
    const admin = `https://127.0.0.1:${String(server.adminPort)}`;
    const listed = await runCli(['queries', '--url', admin, '--ca', ca]);
    assert.deepEqual([listed.code, listed.err], [0, ''], listed.out);
    const wrong = await runCli(['queries', '--url', url, '--ca', ca]);
    assert.match(wrong.err, /^seriesdb: https:\S+ is the public listener of a server; /);
    const stranger = await runCli(['status', '--url', url]);
    assert.strictEqual(stranger.code, 1);
    assert.match(
      stranger.err,
      /^seriesdb: the certificate of 127\S+ is not trusted \(.+\); name .* --ca FILE\n$/,
    );
    const other = path.join(folder, 'other.pem');
    writeFileSync(other, makeCertificate('other').cert);
    assert.match((await runCli(['status', '--url', url, '--ca', other])).err, /is not trusted/);
    const plain = await runCli(['status', '--url', `127.0.0.1:${String(server.port)}`]);
    assert.match(plain.err, /^seriesdb: \S+ speaks TLS, not plain HTTP; use https:\/\/127\S+\n$/);
  });

  it('says when the public listener was asked in place of the admin one, or reverse', async () => {
    const { server } = await startConfigured('node', '');
    const [api, admin] = [server.port, server.adminPort].map((port) => `127.0.0.1:${port ?? 0}`);
    const orders = [['queries'], ['compact'], ['snapshot', 'list'], ['verify'], ['gc']];
    for (const order of orders) {
      const { code, out, err } = await runCli([...order, '--url', api ?? '']);
      assert.deepEqual([code, out], [1, '']);
      assert.strictEqual(
        err,
        `seriesdb: http://${api ?? ''} is the public listener of a server; this command needs ` +
          'the admin listener, at an address of its own (setting admin.listen); ' +
          'on its machine, name the data directory instead\n',
      );
    }
    const asked = await runCli(['status', '--url', admin ?? '']);
    assert.strictEqual(
      asked.err,
      `seriesdb: http://${admin ?? ''} is the admin listener of a server; this command needs ` +
        'the public listener, at an address of its own (setting listen)\n',
    );
    assert.strictEqual(asked.code, 1);
  });

  it('blames the server version only if no other cause is known', async () => {
    const server = await startScriptedServer([refusal('not_found', 404)]);
    for (const words of [['status'], ['queries']]) {
      const { err } = await runCli([...words, '--url', server.url]);
      assert.match(err, /^seriesdb: the server at \S+ does not know this request; is it an older/);
    }
    server.close();
  });

  it('names the token variable of the listener that it asked', async () => {
    const server = await startScriptedServer([refusal('unauthorized', 401, 'no token')]);
    const run = async (...words: string[]) => (await runCli([...words, '--url', server.url])).err;
    assert.match(await run('status'), /no token; give it with --token-file or in SDB_TOKEN\n$/);
    assert.match(await run('queries'), /no token; .* --token-file or in SDB_ADMIN_TOKEN\n$/);
    server.close();
  });

  it('reports a server that speaks plain HTTP, and a file without a certificate', async () => {
    const server = await startServer({ dataDir: temporaryDirectory() });
    const url = `https://127.0.0.1:${String(server.port)}`;
    const { code, err } = await runCli(['status', '--url', url]);
    assert.strictEqual(code, 1);
    assert.match(err, /^seriesdb: \S+ speaks plain HTTP, not TLS; use http:\/\/127\S+\n$/);
    const file = path.join(temporaryDirectory(), 'x.pem');
    const absent = await runCli(['status', '--ca', file]);
    assert.match(absent.err, /--ca: cannot read .*x\.pem: there is no such file/);
    writeFileSync(file, 'no');
    assert.match((await runCli(['status', '--ca', file])).err, /holds no certificate in PEM/);
    const both = await runCli(['status', '--ca', file, '--insecure']);
    assert.deepEqual([both.code, /exclude each other\n$/.test(both.err)], [2, true]);
  });
});

describe('the profiles of the command line', () => {
  const config = temporaryDirectory();
  const folder = path.join(config, 'seriesdb');
  const file = path.join(folder, 'client.toml');
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runCli(args, { env: { XDG_CONFIG_HOME: config, ...env } });
  before(() => {
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'token'), 's1\n');
  });

  it('set url, token and format, and flags override them', async () => {
    const server = await startScriptedServer([{ body: 'a\r\n1\r\n' }]);
    const other = await startScriptedServer([{ body: '{"columns":[],"rows":[],"stats":{}}' }]);
    writeFileSync(
      file,
      `url = "${other.url}"\n[profile.prod]\nurl = "${server.url}"\ntoken_file = "token"\nformat = "csv"\n`,
    );
    const named = await run(['query', 'select 1 as a', '--profile', 'prod'], {
      SDB_URL: 'http://x',
    });
    assert.deepEqual([named.code, named.out, named.err], [0, 'a\r\n1\r\n', '']);
    assert.strictEqual(server.asked[0]?.headers.authorization, 'Bearer s1');
    assert.strictEqual(server.asked[0]?.headers.accept, 'text/csv');
    await run(['query', 'select 1', '--format', 'json', '--profile', 'prod', '--url', other.url]);
    assert.strictEqual(other.asked[0]?.headers.accept, 'application/json');
    const plain = await run(['query', 'select 1']);
    assert.strictEqual(plain.code, 0, plain.err);
    assert.lengthOf(other.asked, 2);
    const byEnvironment = await run(['query', 'select 1'], { SDB_URL: server.url });
    assert.lengthOf(other.asked, 2, byEnvironment.err);
    server.close();
    other.close();
  });

  it('set the admin listener and its token for admin commands', async () => {
    const answers = [{ body: '{"queries":[]}' }];
    const [admin, api] = [await startScriptedServer(answers), await startScriptedServer([{}])];
    writeFileSync(path.join(folder, 'admin-token'), 'a1\n');
    writeFileSync(
      file,
      `url = "${api.url}"\ntoken_file = "token"\n` +
        `[profile.prod]\nadmin_url = "${admin.url}"\nadmin_token_file = "admin-token"\n` +
        `[profile.dev]\nurl = "${api.url}"\n`,
    );
    const env = { SDB_ADMIN_TOKEN: 'of-the-environment' };
    const listed = await run(['queries', '--json', '--profile', 'prod'], env);
    assert.deepEqual([listed.code, listed.out, listed.err], [0, '{"queries":[]}\n', '']);
    await run(['gc', '--profile', 'prod', '--token-file', path.join(folder, 'token')]);
    assert.deepEqual(
      admin.asked.map(({ path: asked, headers }) => [asked, headers.authorization]),
      [
        ['/__admin/queries', 'Bearer a1'],
        ['/__admin/gc?dry_run=false&history=false', 'Bearer s1'],
      ],
    );
    // A flag overrides the profile. Without it, only a named profile determines the server.
    await run(['queries', '--url', admin.url, '--profile', 'dev'], env);
    assert.strictEqual(admin.asked[2]?.headers.authorization, 'Bearer of-the-environment');
    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      [['queries'], /name either a directory, or a running server by --url or --profile$/],
      [['gc'], /name either a directory, or a running server by --url or --profile$/],
      [['gc', '/data', '--profile', 'prod'], /name either a directory, or a running server/],
      [['backup', '/b'], /by --url or --profile$/],
      [['queries', '--profile', 'dev'], /client\.toml: the profile dev has no admin_url$/],
      [['queries', '--profile', 'none'], /client\.toml has no profile none; it has prod, dev$/],
    ];
    for (const [words, sentence] of refused) {
      const { code, err } = await run(words);
      assert.strictEqual(code, 2);
      assert.match(err.trimEnd(), sentence);
    }
    const unread = await run(['backup', '/b'], { SDB_URL: api.url });
    assert.include(unread.err, `; maintenance commands do not read SDB_URL (${api.url})`);
    assert.strictEqual(unread.code, 2);
    assert.lengthOf(admin.asked, 3);
    // The token of the other listener is not used.
    await run(['query', 'select 1', '--profile', 'prod']);
    assert.deepEqual([api.asked.length, api.asked[0]?.headers.authorization], [1, 'Bearer s1']);
    admin.close();
    api.close();
  });

  it('with errors are rejected with a message', async () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['', /client\.toml has no profile prod; it has none$/],
      ['[profile.dev]\n', /client\.toml has no profile prod; it has dev$/],
      [
        '[profile.prod]\nurk = "x"\n',
        /"urk" is not one of url, token_file, ca, format, admin_url, admin_/,
      ],
      [
        'admin_url = "x"\n[profile.prod]\n',
        /"admin_url" is not one of url, token_file, ca, format and/,
      ],
      ['[profile.prod]\nurl = 5\n', /url must be a string/],
      ['url = \n', /client\.toml is not valid TOML at line 1, column 7$/],
      ['[profile.prod]\nformat = "xml"\n', /the format of the profile must be one of table, csv/],
    ];
    for (const [text, sentence] of wrong) {
      writeFileSync(file, text);
      const { code, out, err } = await run(['query', 'select 1', '--profile', 'prod']);
      assert.oneOf(code, [1, 2]);
      assert.strictEqual(out, '');
      assert.match(err.trimEnd(), sentence);
    }
  });
});
