/** Settings from a TOML file. A file that cannot be read or parsed stops the start. */

import { readFileSync } from 'node:fs';

import { parse } from 'smol-toml';

import { AppError } from '../errors/app-error.js';

import { settingKeys } from './settings.js';

export function settingsFromFile(path: string): ReadonlyMap<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError('invalid_configuration', `cannot read ${path}: ${reason}`, { cause });
  }
  try {
    return flattened(parse(text));
  } catch (cause) {
    // The parser's message quotes the line, which may hold the token; only the place is told.
    const place =
      cause instanceof Error && 'line' in cause && 'column' in cause
        ? ` at line ${String(cause.line)}, column ${String(cause.column)}`
        : '';
    throw new AppError('invalid_configuration', `${path} is not valid TOML${place}`);
  }
}

/** The keys of a table under dotted names, `[admin] token` as `admin.token`. */
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
