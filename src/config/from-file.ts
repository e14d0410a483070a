/** Settings from a TOML file. A file that cannot be read or parsed stops the start. */

import { settingKeys } from './settings.js';
import { readTomlFile } from './toml-file.js';

export function settingsFromFile(path: string): ReadonlyMap<string, unknown> {
  return flattened(readTomlFile(path).document);
}

/** Flattens the keys of a table, `[admin] token` to `admin.token`. */
function flattened(document: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [key, value] of Object.entries(document)) {
    const isKnown = settingKeys.some((one) => one.startsWith(`${key}.`));
    if (!isTable(value) || (!isKnown && Object.keys(value).length === 0)) found.set(key, value);
    else for (const [name, inner] of Object.entries(value)) found.set(`${key}.${name}`, inner);
  }
  return found;
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}
