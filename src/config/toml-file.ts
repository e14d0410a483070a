/** Reads a TOML file as text and document. Unreadable files are `invalid_configuration`. */

import { readFileSync } from 'node:fs';

import { parse } from 'smol-toml';

import { AppError } from '../common/errors/app-error.js';
import { thrownMessage } from '../common/errors/thrown-message.js';

interface TomlFile {
  readonly text: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** Throws `invalid_configuration`. */
export function readTomlFile(path: string): TomlFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = thrownMessage(cause);
    throw new AppError('invalid_configuration', `cannot read ${path}: ${reason}`, { cause });
  }
  try {
    return { text, document: parse(text) };
  } catch (cause) {
    // The parser's message quotes the line, which may hold a token; only the place is reported.
    const place =
      cause instanceof Error && 'line' in cause && 'column' in cause
        ? ` at line ${String(cause.line)}, column ${String(cause.column)}`
        : '';
    throw new AppError('invalid_configuration', `${path} is not valid TOML${place}`);
  }
}
