/**
 * The settings in force, and their reload while the server runs. A reload reads all sources again
 * and takes effect as a whole or not at all. So ApplySettings checks everything before it changes
 * anything. Keys that need a restart keep their value until then.
 */

import { isDeepStrictEqual } from 'node:util';

import { AppError } from '../common/errors/app-error.js';

import { settingKeys, settingRows, type SettingKey, type Settings } from './settings.js';

import type { ResolvedSettings } from './resolve.js';

export interface SettingsSource {
  readonly resolved: ResolvedSettings;
  /**
   * Reads file and environment again. Throws `invalid_configuration`. Null means that reload is
   * unavailable.
   */
  readonly resolveAgain: (() => ResolvedSettings) | null;
}

/** Rejects without changes if the settings cannot be applied. */
type ApplySettings = (next: Settings) => Promise<void>;

export interface ReloadReport {
  readonly changed: readonly SettingKey[];
  /** Changed keys that take effect after a restart. */
  readonly restartRequired: readonly SettingKey[];
}

export class LiveSettings {
  readonly #resolveAgain: SettingsSource['resolveAgain'];
  #resolved: ResolvedSettings;
  #restartRequired: readonly SettingKey[] = [];

  constructor(source: SettingsSource) {
    this.#resolved = source.resolved;
    this.#resolveAgain = source.resolveAgain;
  }

  get resolved(): ResolvedSettings {
    return this.#resolved;
  }

  get restartRequired(): readonly SettingKey[] {
    return this.#restartRequired;
  }

  /**
   * Rejects with `reload_unavailable`, `invalid_configuration`, or the error of `apply`. REQUIRES:
   * no other reload is running.
   */
  async reload(apply: ApplySettings): Promise<ReloadReport> {
    if (this.#resolveAgain === null) {
      throw new AppError(
        'reload_unavailable',
        'the program that runs the database does not support reload',
      );
    }
    const wanted = this.#resolveAgain();
    const current = this.#resolved;
    const differs = settingKeys.filter(
      (key) => !isDeepStrictEqual(current.settings[key], wanted.settings[key]),
    );
    const restartRequired = differs.filter(
      (key) => !isLive(key, current.settings, wanted.settings),
    );
    const next = keeping(wanted, current, restartRequired);
    await apply(next.settings);
    this.#resolved = next;
    this.#restartRequired = restartRequired;
    return { changed: differs.filter((key) => !restartRequired.includes(key)), restartRequired };
  }
}

function isLive(key: SettingKey, from: Settings, to: Settings): boolean {
  // A listener cannot switch TLS on or off; only its certificate can change.
  const isTls = key === 'tls_cert' || key === 'tls_key';
  if (isTls && (from[key] === null || to[key] === null)) return false;
  return settingRows[key].isLive === true;
}

function keeping(
  wanted: ResolvedSettings,
  current: ResolvedSettings,
  keys: readonly SettingKey[],
): ResolvedSettings {
  const values = keys.map((key): [string, unknown] => [key, current.settings[key]]);
  const sources = keys.map((key): [string, unknown] => [key, current.sources[key]]);
  // The types match: every key and value comes from one of two complete tables.
  return {
    settings: { ...wanted.settings, ...Object.fromEntries(values) },
    sources: { ...wanted.sources, ...Object.fromEntries(sources) },
    file: wanted.file,
  };
}
