/**
 * The file of named tokens: a `[[token]]` table for each, with its name, its scopes and the SHA-256
 * of its secret, so that whoever reads the file has no token.
 */

import { randomBytes } from 'node:crypto';

import { readTomlFile } from '../config/toml-file.js';
import { AppError } from '../errors/app-error.js';

import { tokenScopes, type TokenEntry, type TokenScope } from './token.js';

/** Every request is compared with all of them. */
const kTokensMax = 1000;
/** It stands in the log, and beside the names of settings, which have a colon there. */
const kName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const kDigest = /^[0-9a-f]{64}$/i;
const kHeader = /^[ \t]*\[\[[ \t]*token[ \t]*\]\]/;

/** Throws `invalid_configuration` with the line of the table that is wrong; quotes no digest. */
export function tokensFromFile(path: string): readonly TokenEntry[] {
  const { text, document } = readTomlFile(path);
  const { token: tables = [], ...others } = document;
  const other = Object.keys(others)[0];
  if (other !== undefined) throw fault(path, `${JSON.stringify(other)} is unknown; token is`);
  const headers = text.split('\n').flatMap((line, at) => (kHeader.test(line) ? [at + 1] : []));
  if (!Array.isArray(tables) || tables.length !== headers.length) {
    throw fault(path, 'each token must be a table that begins with a line [[token]]');
  }
  if (tables.length > kTokensMax) throw fault(path, `there are at most ${kTokensMax} tokens`);
  const entries: TokenEntry[] = [];
  tables.forEach((table: Readonly<Record<string, unknown>>, at) => {
    const place = `${path}, line ${String(headers[at])}`;
    const entry = readEntry(place, table);
    requireNew(place, entries, entry);
    entries.push(entry);
  });
  return entries;
}

function readEntry(place: string, table: Readonly<Record<string, unknown>>): TokenEntry {
  const { name, scopes, sha256, ...others } = table;
  const other = Object.keys(others)[0];
  if (other !== undefined) {
    throw fault(place, `${JSON.stringify(other)} is unknown; name, scopes and sha256 are`);
  }
  if (typeof sha256 !== 'string' || !kDigest.test(sha256)) {
    throw fault(place, 'sha256 must be the SHA-256 of the secret, 64 hexadecimal digits');
  }
  const digest = Buffer.from(sha256, 'hex');
  return { name: readName(place, name), scopes: readScopes(place, scopes), digest };
}

function readName(place: string, name: unknown): string {
  if (typeof name === 'string' && kName.test(name)) return name;
  throw fault(
    place,
    'name must be 1 to 64 letters, digits, ".", "_" and "-", the first a letter or digit',
  );
}

function readScopes(place: string, scopes: unknown): readonly TokenScope[] {
  const given: readonly unknown[] = Array.isArray(scopes) ? scopes : [];
  const known = tokenScopes.filter((scope) => given.includes(scope));
  if (known.length > 0 && known.length === given.length) return known;
  throw fault(place, `scopes must be a list of some of ${tokenScopes.join(', ')}, each once`);
}

/** Two of one name could not be told apart in the log; two of one secret are one. */
function requireNew(place: string, known: readonly TokenEntry[], entry: TokenEntry): void {
  if (known.some(({ name }) => name === entry.name)) {
    throw fault(place, `there is a token ${entry.name} already`);
  }
  const twin = known.find(({ digest }) => digest.equals(entry.digest));
  if (twin !== undefined) throw fault(place, `it has the sha256 of ${twin.name}`);
}

function fault(place: string, message: string): AppError {
  return new AppError('invalid_configuration', `${place}: ${message}`);
}

/** As a file has it; names and scopes need no escape. */
export function printEntry({ name, scopes, digest }: TokenEntry): string {
  const list = scopes.map((scope) => `"${scope}"`).join(', ');
  return `[[token]]\nname = "${name}"\nscopes = [${list}]\nsha256 = "${digest.toString('hex')}"\n`;
}

/** 256 bits nobody can guess, in characters that a header takes; the prefix is for scanners. */
export function newSecret(): string {
  return `sdb_${randomBytes(32).toString('base64url')}`;
}
