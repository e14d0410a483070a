import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { adminFromEnv, serviceLinks, settingsFromEnv } from '../../src/config/from-env.js';
import { settingsFromFile } from '../../src/config/from-file.js';
import { settingsFromFlags } from '../../src/config/from-flags.js';
import { resolveSettings } from '../../src/config/resolve.js';
import { printSettings } from '../../src/config/show.js';
import { printAddressRange } from '../../src/common/model/address-range.js';

const layer = (values: Record<string, unknown>) => new Map(Object.entries(values));

describe('the settings', () => {
  it('have the documented defaults', () => {
    const { settings, sources } = resolveSettings({});
    expect(settings.listen).to.deep.equal({ host: '127.0.0.1', port: 8080 });
    expect(settings.memtable_max_bytes).to.equal(128 * 1024 * 1024);
    expect(settings.memory_limit_bytes).to.equal(1024 ** 3);
    expect(settings.max_line_bytes).to.equal(65_536);
    expect(settings.max_body_bytes).to.equal(64 * 1024 * 1024);
    expect([settings.fsync, settings.timestamp_unit]).to.deep.equal(['always', 'ms']);
    expect([settings.auth_token, settings.max_future_skew]).to.deep.equal([null, null]);
    expect(sources.listen).to.equal('default');
  });

  it('a small body lowers the longest line, unless that was asked for', () => {
    const small = resolveSettings({ flags: layer({ max_body_bytes: '1000' }) });
    expect(small.settings.max_line_bytes).to.equal(1000);
    expect(small.sources.max_line_bytes).to.equal('default');
    const both = { max_body_bytes: '1000', max_line_bytes: '900' };
    expect(resolveSettings({ flags: layer(both) }).settings.max_line_bytes).to.equal(900);
  });

  it('of the environment are told from the service links of a container platform', () => {
    const links = {
      SERIESDB_SERVICE_HOST: '10.0.0.1',
      SERIESDB_SERVICE_PORT: '8080',
      SERIESDB_SERVICE_PORT_HTTP: '8080',
      SERIESDB_PORT: 'tcp://10.0.0.1:8080',
      SERIESDB_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      SERIESDB_PORT_8080_TCP_ADDR: '10.0.0.1',
      SERIESDB_MAIN_PORT_9090_UDP_PROTO: 'udp',
    };
    const environment = { ...links, SERIESDB_FSYNC: 'none', OTHER_PORT: '1' };
    expect([...settingsFromEnv(environment)]).to.deep.equal([['fsync', 'none']]);
    expect(serviceLinks(environment)).to.deep.equal(Object.keys(links).sort());
    for (const name of ['SERIESDB_PORTS', 'SERIESDB_LISTEN_PORT_X', 'SERIESDB_HOST']) {
      const settings = settingsFromEnv({ [name]: '1' });
      expect(() => resolveSettings({ environment: settings })).to.throw('unknown setting');
    }
  });

  it('come from flag, environment, file and default in this order', () => {
    const { settings, sources } = resolveSettings({
      file: layer({ fsync: 'none', log_level: 'warn', data_dir: 'file', max_future_skew: '1h' }),
      environment: settingsFromEnv({
        SERIESDB_LOG_LEVEL: 'error',
        SERIESDB_DATA_DIR: 'env',
        X: '1',
      }),
      flags: settingsFromFlags({ dataDir: 'flag', config: 'x.toml' }),
    });
    expect([settings.fsync, settings.log_level, settings.data_dir]).to.deep.equal([
      'none',
      'error',
      'flag',
    ]);
    expect(settings.max_future_skew).to.equal(3_600_000);
    expect([sources.fsync, sources.log_level, sources.data_dir]).to.deep.equal([
      'file',
      'environment',
      'flag',
    ]);
  });

  const refused: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ['an unknown key', { lisen: 'x' }, /lisen; did you mean listen\?/],
    ['an empty token', { auth_token: '' }, /auth_token must not be empty/],
    ['a token with spaces around it', { auth_token: ' x ' }, /auth_token must be visible ASCII/],
    ['a token that headers mangle', { auth_token: 'p\u00e4ss' }, /auth_token must be visible/],
    ['a token of two lines', { 'admin.token': 'a\nb' }, /admin.token must be visible ASCII/],
    ['a bad choice', { fsync: 'sometimes' }, /fsync must be one of always, interval, none/],
    ['a bad address', { listen: '8080' }, /listen must be host:port/],
    ['a port past the last', { listen: 'a:65536' }, /listen must be host:port/],
    ['a fraction', { fsync_interval_ms: 1.5 }, /fsync_interval_ms must be an integer/],
    ['a number past the range', { fsync_interval_ms: 0 }, /from 1 to/],
    ['a wrong type', { data_dir: 7 }, /data_dir must be a string/],
    [
      'lines longer than a body',
      { max_body_bytes: 100, max_line_bytes: 101 },
      /max_line_bytes must not be more/,
    ],
    ['a certificate without its key', { tls_cert: 'a.pem' }, /tls_key is missing/],
    [
      'a read mode that needs what is off',
      { cas_mode: 'off' },
      /metadata_read_mode must be legacy/,
    ],
    ['an unknown key of a table', { 'admin.tokn': 'x' }, /admin.tokn; did you mean admin.token\?/],
    ['a bad boolean', { 'admin.enabled': 'yes' }, /admin.enabled must be true or false/],
    [
      'a bad range',
      { 'admin.allow': ['10.0.0.0/8', '10.0.0/8'] },
      /"10.0.0\/8", which is not a valid addr/,
    ],
    ['a range that is too narrow', { 'admin.allow': ['::1/129'] }, /admin.allow holds/],
    [
      'a host with a port',
      { hosts: ['db.lan', 'db.lan:80'] },
      /"db.lan:80", which is not a valid host name/,
    ],
    ['a host that is any', { hosts: ['*.lan'] }, /not a valid host name such as db.example/],
    ['a host that is a number', { hosts: ['0x7f.1'] }, /hosts holds/],
    [
      'an origin with a path',
      { cors_origins: ['https://a.example/x'] },
      /not a valid origin such as/,
    ],
    ['a rule without a match', { retention: [{ keep: '1d' }] }, /retention.match is required/],
    ['a rule without a time', { retention: [{ match: 'a' }] }, /retention.keep must be a duration/],
    ['very many rules', { retention: Array(1000).fill({ match: 'a', keep: '1d' }) }, /at most 999/],
    [
      'very many lengths of keep',
      { retention: Array.from({ length: 64 }, (_, i) => ({ match: 'a', keep: `${i + 1}d` })) },
      /retention must have at most 63 different keep times, because each has its own files/,
    ],
    [
      'labels that are no table',
      { retention: [{ match: 'a', labels: ['b'], keep: '1d' }] },
      /retention.labels must be a table of strings/,
    ],
    [
      'a label that is a number',
      { retention: [{ match: 'a', labels: { b: 1 }, keep: '1d' }] },
      /retention.labels.b must be a string/,
    ],
    ['an unknown key of a rule', { retention: [{ mach: 'a' }] }, /retention.mach is unknown/],
    [
      'two listeners on one address',
      { listen: '[::1]:80', 'admin.listen': '[::1]:80', 'admin.enabled': true },
      /must not be the address of listen/,
    ],
  ];
  for (const [what, values, message] of refused) {
    it(`reject ${what}, naming the key`, () => {
      expect(() => resolveSettings({ file: layer(values) })).to.throw(message);
    });
  }

  it('name the variable or the flag as it was spelled', () => {
    const environment = settingsFromEnv({ SERIESDB_LISTN: 'x' });
    expect(() => resolveSettings({ environment })).to.throw(
      /SERIESDB_LISTN; did you mean SERIESDB_LISTEN/,
    );
    const flags = settingsFromFlags({ logLevel: 'loud' });
    expect(() => resolveSettings({ flags })).to.throw(/--log-level must be one of/);
  });

  it('take the content-addressed store off together with its read mode', () => {
    const file = layer({ cas_mode: 'off', metadata_read_mode: 'legacy' });
    expect(resolveSettings({ file }).settings.cas_mode).to.equal('off');
  });

  it('of the admin table have two names in the environment, the longer one counts', () => {
    const environment = {
      ADMIN_ENABLED: 'TRUE',
      ADMIN_LISTEN: '127.0.0.1:1',
      SERIESDB_ADMIN_LISTEN: '127.0.0.1:2',
      ADMIN_TOKEN: '',
      ADMIN_ALLOW: '10.0.0.0/8, ::ffff:192.168.0.0/112,::1',
    };
    const { settings, sources } = resolveSettings({
      file: layer({ 'admin.token': 'file', 'admin.listen': '127.0.0.1:3' }),
      adminEnvironment: adminFromEnv(environment),
      environment: settingsFromEnv(environment),
    });
    expect(settings['admin.enabled']).to.equal(true);
    expect(settings['admin.listen'].port).to.equal(2);
    expect([settings['admin.token'], sources['admin.token']]).to.deep.equal([null, 'environment']);
    expect(settings['admin.allow'].map(printAddressRange)).to.deep.equal([
      '10.0.0.0/8',
      '192.168.0.0/16',
      '::1',
    ]);
    const bad = adminFromEnv({ ADMIN_ENABLED: 'maybe' });
    expect(() => resolveSettings({ adminEnvironment: bad })).to.throw(/^ADMIN_ENABLED must be/);
  });

  it('come from flags as text', () => {
    const flags = settingsFromFlags({
      adminEnabled: 'true',
      corsOrigins: 'https://a.example,http://b.example:81',
      hosts: 'DB.lan., series_db',
      retention: '[{ match = "cpu.*", keep = "30d" }]',
      maxQuerySamples: '9007199254740991',
    });
    const { settings, sources } = resolveSettings({ flags });
    expect(settings.cors_origins).to.deep.equal(['https://a.example', 'http://b.example:81']);
    expect(settings.hosts).to.deep.equal(['db.lan', 'series_db']);
    expect(settings.retention).to.deep.equal([
      { match: 'cpu.*', labels: {}, keepMs: 30 * 86_400_000 },
    ]);
    expect(settings.max_query_samples).to.equal(Number.MAX_SAFE_INTEGER);
    expect(sources['admin.enabled']).to.equal('flag');
  });

  it('are printed as a file that gives the same settings again, without the secrets', () => {
    const file = layer({
      auth_token: 'sesame',
      'admin.token': 'sesame',
      'admin.allow': ['10.0.0.0/8', '::1'],
      retention: [
        { match: 'a "b"', keep: '36h' },
        { match: '*', labels: { env: 'dev "x"', 'a b': '' }, keep: '1d' },
      ],
      max_future_skew: '90m',
    });
    const resolved = resolveSettings({ file });
    const text = printSettings(resolved);
    expect(text).to.contain('auth_token = "<redacted>"  # file').and.not.contain('sesame');
    expect(text).to.contain('listen = "127.0.0.1:8080"  # default');
    const directory = mkdtempSync(join(tmpdir(), 'seriesdb-config-'));
    const path = join(directory, 'printed.toml');
    writeFileSync(path, text.replaceAll('<redacted>', 'sesame'));
    expect(resolveSettings({ file: settingsFromFile(path) }).settings).to.deep.equal(
      resolved.settings,
    );
    rmSync(directory, { recursive: true });
  });

  describe('in a file', () => {
    const directory = mkdtempSync(join(tmpdir(), 'seriesdb-config-'));
    const path = join(directory, 'seriesdb.toml');
    after(() => {
      rmSync(directory, { recursive: true });
    });

    it('are read as TOML', () => {
      const tables = '[admin]\nenabled = true\n[[retention]]\nmatch = "a"\nkeep = "1d"\n';
      const top = 'listen = "0.0.0.0:1"\nmax_series = 7\nmemory_limit_bytes = "2GiB"\n';
      writeFileSync(path, top + tables);
      const { settings } = resolveSettings({ file: settingsFromFile(path) });
      expect(settings.listen.host).to.equal('0.0.0.0');
      expect(settings['admin.enabled']).to.equal(true);
      expect(settings.retention).to.deep.equal([{ match: 'a', labels: {}, keepMs: 86_400_000 }]);
      expect([settings.max_series, settings.memory_limit_bytes]).to.deep.equal([7, 2 * 1024 ** 3]);
    });

    it('reject an unknown table, empty or not', () => {
      for (const text of ['[amin]\n', '[amin]\ntoken = "x"\n', 'admin = "x"\n']) {
        writeFileSync(path, text);
        expect(() => resolveSettings({ file: settingsFromFile(path) })).to.throw(/unknown setting/);
      }
    });

    it('stop the start when the file is broken or absent, without quoting it', () => {
      writeFileSync(path, 'auth_token = "secret\n');
      expect(() => settingsFromFile(path))
        .to.throw(/not valid TOML at line 1/)
        .and.not.match(/secret/);
      expect(() => settingsFromFile(join(directory, 'absent.toml'))).to.throw(/cannot read/);
    });
  });
});
