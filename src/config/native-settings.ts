/** The settings that the engine takes unchanged, under the names in the rows. */

import { settingKeys, settingRows, type SettingTable, type Settings } from './settings.js';

import type { SettingRow } from './setting-kind.js';

interface Passed {
  readonly native: string;
}

/** Keys of rows of this type. */
type KeysOf<Row> = {
  [Key in keyof SettingTable]: SettingTable[Key] extends Row ? Key : never;
}[keyof SettingTable];

type LiveKey = KeysOf<Passed & { readonly isLive: true }>;
type FixedKey = Exclude<KeysOf<Passed>, LiveKey>;

type NativeSettings<Keys extends LiveKey | FixedKey> = {
  readonly [Key in Keys as SettingTable[Key]['native']]: Settings[Key];
};

/** The options that may change while an engine is open. */
export function liveNativeSettings(settings: Settings): NativeSettings<LiveKey> {
  const found = nativeSettings(settings, ({ isLive }) => isLive === true);
  return found as NativeSettings<LiveKey>;
}

/** The options that are fixed when an engine is opened. */
export function fixedNativeSettings(settings: Settings): NativeSettings<FixedKey> {
  const found = nativeSettings(settings, ({ isLive }) => isLive !== true);
  return found as NativeSettings<FixedKey>;
}

/** The same selection of rows as in the types above. */
function nativeSettings(settings: Settings, isMeant: (row: SettingRow) => boolean): unknown {
  const members = settingKeys.flatMap((key): [string, unknown][] => {
    const row = settingRows[key];
    return row.native !== undefined && isMeant(row) ? [[row.native, settings[key]]] : [];
  });
  return Object.fromEntries(members);
}
