/** Settings from a TOML file. A file that cannot be read or parsed stops the start. */

import { readFileSync } from 'node:fs';

import { parse } from 'smol-toml';

import { AppError } from '../errors/app-error.js';

export function settingsFromFile(path: string): ReadonlyMap<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError('invalid_configuration', `cannot read ${path}: ${reason}`, { cause });
  }
  try {
    return new Map(Object.entries(parse(text)));
  } catch (cause) {
    // The parser's message quotes the line, which may hold the token; only the place is told.
    const place =
      cause instanceof Error && 'line' in cause && 'column' in cause
        ? ` at line ${String(cause.line)}, column ${String(cause.column)}`
        : '';
    throw new AppError('invalid_configuration', `${path} is not valid TOML${place}`);
  }
}
