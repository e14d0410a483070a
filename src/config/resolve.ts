/**
 * Merges defaults, file, environment and flags (later ones win) into settings, and records the
 * source of each value. An unknown key or a bad value is an error that names the key.
 */

import { nearestOf } from '../common/model/nearest.js';
import { AppError } from '../common/errors/app-error.js';
import { milliseconds } from '../common/model/timestamp-unit.js';
import { printListenAddress } from '../common/model/listen-address.js';

import { environmentName, plainName } from './from-env.js';
import { flagName } from './from-flags.js';
import { badSetting, readSetting } from './read-setting.js';
import { isSettingKey, settingKeys, settingRows } from './settings.js';

import type { SettingKey, Settings } from './settings.js';

export type SettingSource = 'default' | 'file' | 'environment' | 'flag';

export interface ResolvedSettings {
  readonly settings: Settings;
  readonly sources: Readonly<Record<SettingKey, SettingSource>>;
  /** The settings file; null without one. */
  readonly file: string | null;
}

interface SettingInputs {
  /** The settings file. `file` has its values. */
  readonly path?: string;
  readonly file?: ReadonlyMap<string, unknown>;
  /** The plain names of the admin keys; they override the file. */
  readonly adminEnvironment?: ReadonlyMap<string, unknown>;
  readonly environment?: ReadonlyMap<string, unknown>;
  readonly flags?: ReadonlyMap<string, unknown>;
}

/** Throws `invalid_configuration`. */
export function resolveSettings(inputs: SettingInputs): ResolvedSettings {
  const values: Record<string, unknown> = {};
  const sources: Record<string, SettingSource> = {};
  for (const [key, { type, fallback }] of Object.entries(settingRows)) {
    values[key] = fallback === null ? null : readSetting(key, type, fallback);
    sources[key] = 'default';
  }
  for (const { source, layer, spell } of layersOf(inputs)) {
    for (const [key, raw] of layer ?? []) {
      if (!isSettingKey(key)) throw unknownKey(key, spell);
      values[key] = readSetting(spell(key), settingRows[key].type, raw);
      sources[key] = source;
    }
  }
  // Each key of the table was parsed by its own row, so the type is complete.
  const settings = withFittingDefaults(values as unknown as Settings, sources);
  checkTogether(settings);
  const { path: file = null } = inputs;
  return { settings, sources: sources as Record<SettingKey, SettingSource>, file };
}

interface Layer {
  readonly source: SettingSource;
  readonly layer: ReadonlyMap<string, unknown> | undefined;
  /** The spelling of a key in this source, for errors. */
  readonly spell: (key: string) => string;
}

/** All layers; later ones win. */
function layersOf(inputs: SettingInputs): readonly Layer[] {
  return [
    { source: 'file', layer: inputs.file, spell: (key) => key },
    { source: 'environment', layer: inputs.adminEnvironment, spell: plainName },
    { source: 'environment', layer: inputs.environment, spell: environmentName },
    { source: 'flag', layer: inputs.flags, spell: flagName },
  ];
}

/** Of `bucket.group_ms` while every write waits for its group. */
const kWaitedGroupMs = milliseconds(250);

/**
 * By default, the line limit shrinks to the body limit, and groups of a bucket are sent sooner if
 * writes wait for them.
 */
function withFittingDefaults(
  settings: Settings,
  sources: Readonly<Record<string, SettingSource | undefined>>,
): Settings {
  const { max_line_bytes, max_body_bytes } = settings;
  const isLong = sources['max_line_bytes'] === 'default' && max_line_bytes > max_body_bytes;
  const isWaited = sources['bucket.group_ms'] === 'default' && settings['bucket.ack'] === 'bucket';
  return {
    ...settings,
    ...(isLong ? { max_line_bytes: max_body_bytes } : {}),
    ...(isWaited ? { 'bucket.group_ms': kWaitedGroupMs } : {}),
  };
}

function checkTogether(settings: Settings): void {
  if (settings.max_line_bytes > settings.max_body_bytes) {
    throw badSetting('max_line_bytes', 'must not be more than max_body_bytes');
  }
  if ((settings.tls_cert === null) !== (settings.tls_key === null)) {
    const missing = settings.tls_cert === null ? 'tls_cert' : 'tls_key';
    throw badSetting(missing, 'is missing; tls_cert and tls_key go together');
  }
  if (settings.cas_mode === 'off' && settings.metadata_read_mode !== 'legacy') {
    const mode = settings.metadata_read_mode;
    throw badSetting('metadata_read_mode', `must be legacy with cas_mode = off, not ${mode}`);
  }
  checkKeys(settings, 'bucket');
  checkBucket(settings);
  checkKeys(settings, 'backup');
  checkBackup(settings);
  const { listen } = settings;
  const isSame = printListenAddress(listen) === printListenAddress(settings['admin.listen']);
  if (settings['admin.enabled'] && isSame && listen.port !== 0) {
    throw badSetting('admin.listen', 'must not be the address of listen');
  }
}

/** The keys of the object store of a table. */
function checkKeys(settings: Settings, table: 'bucket' | 'backup'): void {
  const idKey = `${table}.access_key_id` as const;
  const secretKey = `${table}.secret_access_key` as const;
  const { [idKey]: id, [secretKey]: secret } = settings;
  if ((id === null) !== (secret === null)) {
    const missing = id === null ? idKey : secretKey;
    throw badSetting(missing, `is missing; ${idKey} and its secret go together`);
  }
  const tokenKey = `${table}.session_token` as const;
  if (settings[tokenKey] !== null && id === null) throw badSetting(tokenKey, `needs ${idKey}`);
}

function checkBackup({ 'backup.to': to }: Settings): void {
  if (to === null || to.startsWith('s3:') || to.startsWith('/')) return;
  throw badSetting('backup.to', 'must be s3://NAME/PREFIX, or the absolute path of a directory');
}

function checkBucket(settings: Settings): void {
  for (const [key, most] of [['bucket.node', 128] as const, ['bucket.advertise', 256] as const]) {
    const text = settings[key];
    if (text === null || (text.length <= most && /^[!-~]+$/.test(text))) continue;
    throw badSetting(key, `must have at most ${most} printable ASCII characters without spaces`);
  }
  if (settings['bucket.url'] === null) return;
  if (settings['bucket.ack'] === 'bucket' && settings.fsync !== 'always') {
    throw badSetting('fsync', `must be always with bucket.ack = bucket, not ${settings.fsync}`);
  }
  if (settings.cas_mode !== 'dual_write') {
    throw badSetting('cas_mode', `must be dual_write with a bucket, not ${settings.cas_mode}`);
  }
  if (settings.metadata_read_mode !== 'primary') {
    const mode = settings.metadata_read_mode;
    throw badSetting('metadata_read_mode', `must be primary with a bucket, not ${mode}`);
  }
}

function unknownKey(key: string, spell: Layer['spell']): AppError {
  const nearest = nearestOf(key, settingKeys);
  return new AppError(
    'invalid_configuration',
    `unknown setting ${spell(key)}; did you mean ${spell(nearest)}?`,
  );
}
