import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { settingsFromEnv } from '../../src/config/from-env.js';
import { settingsFromFile } from '../../src/config/from-file.js';
import { settingsFromFlags } from '../../src/config/from-flags.js';
import { resolveSettings } from '../../src/config/resolve.js';

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
    ['a bad choice', { fsync: 'sometimes' }, /fsync must be one of always, interval, none/],
    ['a bad address', { listen: '8080' }, /listen must be host:port/],
    ['a port past the last', { listen: 'a:65536' }, /listen must be host:port/],
    ['a fraction', { fsync_interval_ms: 1.5 }, /fsync_interval_ms must be an integer/],
    ['a number past the range', { fsync_interval_ms: 0 }, /from 1 to/],
    ['a wrong type', { data_dir: 7 }, /data_dir must be a string/],
    ['lines longer than a body', { max_body_bytes: 100 }, /max_line_bytes/],
  ];
  for (const [what, values, message] of refused) {
    it(`refuse ${what}, naming the key`, () => {
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

  describe('in a file', () => {
    const directory = mkdtempSync(join(tmpdir(), 'seriesdb-config-'));
    const path = join(directory, 'seriesdb.toml');
    after(() => {
      rmSync(directory, { recursive: true });
    });

    it('are read as TOML', () => {
      writeFileSync(path, 'listen = "0.0.0.0:1"\nmax_series = 7\nmemory_limit_bytes = "2GiB"\n');
      const { settings } = resolveSettings({ file: settingsFromFile(path) });
      expect(settings.listen.host).to.equal('0.0.0.0');
      expect([settings.max_series, settings.memory_limit_bytes]).to.deep.equal([7, 2 * 1024 ** 3]);
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
