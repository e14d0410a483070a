/**
 * Settings from the command line: `--data-dir` sets `data_dir`, `--admin-listen` sets
 * `admin.listen`, and `--bucket` sets `bucket.url`.
 */

import { isSettingKey, settingKeys, settingRows } from './settings.js';

/** Takes the parser's options, whose names are in camel case. */
export function settingsFromFlags(
  options: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, unknown> {
  const keys = new Map<string, string>(settingKeys.map((key) => [flagName(key), key]));
  const found = new Map<string, unknown>();
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || name === 'config') continue;
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    found.set(keys.get(flag) ?? flag.slice(2).replaceAll('-', '_'), value);
  }
  return found;
}

/** The flag of a key. */
export function flagName(key: string): string {
  const { flag } = isSettingKey(key) ? settingRows[key] : {};
  if (flag !== undefined) return flag;
  return `--${key.replace(/[_.]/g, '-')}`;
}
