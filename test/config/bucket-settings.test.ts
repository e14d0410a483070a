import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { settingsFromEnv } from '../../src/config/from-env.js';
import { settingsFromFlags } from '../../src/config/from-flags.js';
import { resolveSettings } from '../../src/config/resolve.js';
import { printSettings, showSettings } from '../../src/config/show.js';

const layer = (values: Record<string, unknown>) => new Map(Object.entries(values));
const url = 's3://metrics/db';

describe('the settings of a bucket', () => {
  it('are off by default', () => {
    const { settings } = resolveSettings({});
    expect([settings['bucket.url'], settings['bucket.path_style']]).to.deep.equal([null, null]);
    expect(settings['bucket.group_ms']).to.equal(1000);
  });

  it('have a short flag for the url', () => {
    const flags = settingsFromFlags({ bucket: url, bucketAck: 'bucket' });
    expect([...flags]).to.deep.equal([
      ['bucket.url', url],
      ['bucket.ack', 'bucket'],
    ]);
  });

  it('send groups sooner by default if writes wait for them', () => {
    const waiting = { 'bucket.url': url, 'bucket.ack': 'bucket' };
    expect(resolveSettings({ file: layer(waiting) }).settings['bucket.group_ms']).to.equal(250);
    const said = layer({ ...waiting, 'bucket.group_ms': 1000 });
    expect(resolveSettings({ file: said }).settings['bucket.group_ms']).to.equal(1000);
  });

  const refused: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ 'bucket.ack': 'bucket', fsync: 'interval' }, /fsync must be always with bucket\.ack/],
    [{ cas_mode: 'off', metadata_read_mode: 'legacy' }, /cas_mode must be dual_write/],
    [{ metadata_read_mode: 'shadow' }, /metadata_read_mode must be primary with a bucket/],
    [{ 'bucket.access_key_id': 'AK' }, /bucket\.secret_access_key is missing/],
    [{ 'bucket.secret_access_key': 'x' }, /bucket\.access_key_id is missing/],
    [{ 'bucket.session_token': 'x' }, /bucket\.session_token needs bucket\.access_key_id/],
    [{ 'bucket.node': 'a b' }, /bucket\.node must have at most 128 printable/],
    [{ 'bucket.node': 'n'.repeat(129) }, /bucket\.node must have at most 128 printable/],
    [{ 'bucket.advertise': 'é:1' }, /bucket\.advertise must have at most 256 printable/],
    [{ 'bucket.ack': 'both' }, /bucket\.ack must be one of local, bucket/],
    [{ 'bucket.group_ms': 0 }, /bucket\.group_ms must be an integer from 10/],
  ];
  for (const [values, reason] of refused) {
    it(`are refused: ${JSON.stringify(values).slice(0, 60)}`, () => {
      const file = layer({ 'bucket.url': url, ...values });
      expect(() => resolveSettings({ file })).to.throw(reason);
    });
  }

  it('allow with an interval of syncs what waits for no bucket', () => {
    const file = layer({ 'bucket.url': url, fsync: 'interval' });
    expect(resolveSettings({ file }).settings.fsync).to.equal('interval');
  });

  it('never show a secret', () => {
    const keys = ['bucket.access_key_id', 'bucket.secret_access_key', 'bucket.session_token'];
    const file = layer(Object.fromEntries(keys.map((key) => [key, `secret-${key}`])));
    const resolved = resolveSettings({ file });
    expect(printSettings(resolved)).to.not.include('secret-');
    expect(JSON.stringify(showSettings(resolved))).to.not.include('secret-');
    const bad = layer({ ...Object.fromEntries(file), 'bucket.session_token': 'two words' });
    expect(() => resolveSettings({ file: bad })).to.throw(/must be visible ASCII/);
    expect(() => resolveSettings({ file: bad })).to.not.throw(/two words/);
  });

  describe('in files that the environment names', () => {
    let folder = '';
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'seriesdb-'));
    });
    after(() => {
      rmSync(folder, { recursive: true });
    });

    it('are read without the line break at their end', () => {
      const file = join(folder, 'key');
      writeFileSync(file, 'abc\n');
      const environment = {
        SERIESDB_BUCKET_SECRET_ACCESS_KEY_FILE: file,
        SERIESDB_AUTH_TOKEN_FILE: file,
      };
      expect([...settingsFromEnv(environment)]).to.deep.equal([
        ['bucket.secret_access_key', 'abc'],
        ['auth_token', 'abc'],
      ]);
    });

    it('must be there, stand alone, and be of a secret', () => {
      const missing = { SERIESDB_AUTH_TOKEN_FILE: join(folder, 'nothing') };
      expect(() => settingsFromEnv(missing)).to.throw(/cannot read SERIESDB_AUTH_TOKEN_FILE/);
      const both = { SERIESDB_AUTH_TOKEN_FILE: 'x', SERIESDB_AUTH_TOKEN: 'y' };
      expect(() => settingsFromEnv(both)).to.throw(/SERIESDB_AUTH_TOKEN are set/);
      const plain = settingsFromEnv({ SERIESDB_DATA_DIR_FILE: 'x' });
      expect(() => resolveSettings({ environment: plain })).to.throw(/unknown setting/);
      const listed = settingsFromEnv({ SERIESDB_TOKENS_FILE: 'tokens.toml' });
      expect([...listed]).to.deep.equal([['tokens_file', 'tokens.toml']]);
    });
  });
});
