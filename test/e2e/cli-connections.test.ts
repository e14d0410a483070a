/** Where commands find their server, and whom they believe it to be. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { startConfigured } from '../support/admin-server.js';
import { certificateFiles, makeCertificate } from '../support/certificate.js';
import { runCli } from '../support/cli.js';
import { startScriptedServer } from '../support/scripted-server.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';

describe('the connection of the command line', function () {
  this.timeout(120_000);
  after(killServers);

  it('takes an address without its scheme', async () => {
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

  it('believes whom --ca names, and anybody with --insecure, in every command', async () => {
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
    assert.match(
      plain.err,
      /^seriesdb: \S+ speaks TLS, not plain HTTP; ask it by https:\/\/127\S+\n$/,
    );
  });

  it('says that a server speaks plain HTTP, and what is no certificate', async () => {
    const server = await startServer({ dataDir: temporaryDirectory() });
    const url = `https://127.0.0.1:${String(server.port)}`;
    const { code, err } = await runCli(['status', '--url', url]);
    assert.strictEqual(code, 1);
    assert.match(err, /^seriesdb: \S+ speaks plain HTTP, not TLS; ask it by http:\/\/127\S+\n$/);
    const file = path.join(temporaryDirectory(), 'x.pem');
    const absent = await runCli(['status', '--ca', file]);
    assert.match(absent.err, /--ca: cannot read .*x\.pem: there is no such file/);
    writeFileSync(file, 'no');
    assert.match((await runCli(['status', '--ca', file])).err, /holds no certificate in PEM/);
    const both = await runCli(['status', '--ca', file, '--insecure']);
    assert.deepEqual([both.code, /give one\n$/.test(both.err)], [2, true]);
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

  it('give url, token and format, and give way to flags', async () => {
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

  it('are refused with a sentence where they are wrong', async () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['', /client\.toml has no profile prod; it has none$/],
      ['[profile.dev]\n', /client\.toml has no profile prod; it has dev$/],
      ['[profile.prod]\nurk = "x"\n', /"urk" is none of url, token_file, ca, format/],
      ['[profile.prod]\nurl = 5\n', /url must be a text/],
      ['url = \n', /client\.toml is not valid TOML at line 1$/],
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
