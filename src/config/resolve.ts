/**
 * Merges defaults, file, environment and flags (later ones win) into settings, and records the
 * source of each value. An unknown key or a bad value is an error that names the key.
 */

import { nearestOf } from '../common/model/nearest.js';
import { AppError } from '../common/errors/app-error.js';
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

/** By default, the line limit shrinks to the body limit. */
function withFittingDefaults(
  settings: Settings,
  { max_line_bytes: source }: Readonly<Record<string, SettingSource | undefined>>,
): Settings {
  const { max_line_bytes, max_body_bytes } = settings;
  if (source !== 'default' || max_line_bytes <= max_body_bytes) return settings;
  return { ...settings, max_line_bytes: max_body_bytes };
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
  const { listen } = settings;
  const isSame = printListenAddress(listen) === printListenAddress(settings['admin.listen']);
  if (settings['admin.enabled'] && isSame && listen.port !== 0) {
    throw badSetting('admin.listen', 'must not be the address of listen');
  }
}

function unknownKey(key: string, spell: Layer['spell']): AppError {
  const nearest = nearestOf(key, settingKeys);
  return new AppError(
    'invalid_configuration',
    `unknown setting ${spell(key)}; did you mean ${spell(nearest)}?`,
  );
}
