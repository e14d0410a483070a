/**
 * The file of named tokens. Each `[[token]]` table has a name, scopes, the SHA-256 of the secret,
 * and optionally the labels that bind it. A reader of the file does not learn any secret.
 */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';

import { readTomlFile } from '../../config/toml-file.js';
import { AppError } from '../../common/errors/app-error.js';
import { isName } from '../../common/model/names.js';

import { tokenScopes, type TokenEntry, type TokenScope } from './token.js';

import type { LabelPairs } from '../../common/model/selector.js';

/** Every request is compared with all tokens. */
const kTokensMax = 1000;
/** Names appear in the log. They have no colon, unlike the names of tokens from settings. */
const kName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const kDigest = /^[0-9a-f]{64}$/i;
/** Every series that such a token reads is checked against each label. */
const kBoundLabelsMax = 8;
const kHeader = /^[ \t]*\[\[[ \t]*token[ \t]*\]\]/;

/** Throws `invalid_configuration` with the line of the bad table. Messages quote no digest. */
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
  const { name, scopes, labels, sha256, ...others } = table;
  const other = Object.keys(others)[0];
  if (other !== undefined) {
    throw fault(place, `${JSON.stringify(other)} is unknown; name, scopes, labels and sha256 are`);
  }
  if (typeof sha256 !== 'string' || !kDigest.test(sha256)) {
    throw fault(place, 'sha256 must be the SHA-256 of the secret, 64 hexadecimal digits');
  }
  const known = readScopes(scopes);
  if (known === null) {
    throw fault(place, `scopes must be a list of some of ${tokenScopes.join(', ')}, each once`);
  }
  const digest = Buffer.from(sha256, 'hex');
  const bound = labels === undefined ? {} : { labels: boundLabels(place, labels) };
  if ('labels' in bound && known.includes('admin')) throw fault(place, adminIsOfAll);
  return { name: readName(place, name), scopes: known, digest, ...bound };
}

function boundLabels(place: string, given: unknown): LabelPairs {
  const labels = readBoundLabels(given);
  if (labels !== undefined) return labels;
  throw fault(place, `labels must be ${boundLabelsForm}`);
}

const boundLabelsForm = 'a table of 1 to 8 keys with texts, as { tenant = "a" }';
export const adminIsOfAll = 'the scope admin covers the whole server and cannot be bound to labels';

/** Undefined if the value is not a valid set of bound labels. */
export function readBoundLabels(labels: unknown): LabelPairs | undefined {
  const pairs: [string, unknown][] = isTable(labels) ? Object.entries(labels) : [];
  if (pairs.length === 0 || pairs.length > kBoundLabelsMax) return undefined;
  return pairs.every(isLabel) ? pairs : undefined;
}

function isLabel(pair: [string, unknown]): pair is [string, string] {
  return isName(pair[0]) && typeof pair[1] === 'string' && isName(pair[1]);
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const tokenNameForm =
  '1 to 64 letters, digits, ".", "_" and "-", the first a letter or digit';

export function isTokenName(text: unknown): text is string {
  return typeof text === 'string' && kName.test(text);
}

function readName(place: string, name: unknown): string {
  if (isTokenName(name)) return name;
  throw fault(place, `name must be ${tokenNameForm}`);
}

/** Null if the value is not a list of known, distinct scopes. */
export function readScopes(scopes: unknown): readonly TokenScope[] | null {
  const given: readonly unknown[] = Array.isArray(scopes) ? scopes : [];
  const known = tokenScopes.filter((scope) => given.includes(scope));
  return known.length > 0 && known.length === given.length ? known : null;
}

/** Two tokens of one name would look the same in the log. A secret belongs to one token. */
function requireNew(place: string, known: readonly TokenEntry[], entry: TokenEntry): void {
  if (known.some(({ name }) => name === entry.name)) {
    throw fault(place, `another token already has the name ${entry.name}`);
  }
  const twin = known.find(({ digest }) => digest.equals(entry.digest));
  if (twin !== undefined) throw fault(place, `it has the same sha256 as ${twin.name}`);
}

function fault(place: string, message: string): AppError {
  return new AppError('invalid_configuration', `${place}: ${message}`);
}

/** The table of a token in the file. Names and scopes need no escape. */
export function printEntry({ name, scopes, digest, labels }: TokenEntry): string {
  const list = scopes.map((scope) => `"${scope}"`).join(', ');
  const bound = labels === undefined ? '' : `labels = { ${labels.map(printPair).join(', ')} }\n`;
  const hex = digest.toString('hex');
  return `[[token]]\nname = "${name}"\nscopes = [${list}]\n${bound}sha256 = "${hex}"\n`;
}

/** A text without control characters has the same form in TOML and JSON. */
function printPair([key, value]: readonly [string, string]): string {
  return `${JSON.stringify(key)} = ${JSON.stringify(value)}`;
}

/**
 * The text to append to a file, which may not exist yet. Throws `invalid_configuration` if the file
 * with this entry would be refused.
 */
export function appendix(path: string, entry: TokenEntry): string {
  if (!existsSync(path)) return printEntry(entry);
  const known = tokensFromFile(path);
  if (known.length >= kTokensMax) throw fault(path, `there are at most ${kTokensMax} tokens`);
  requireNew(path, known, entry);
  // The last line may lack its newline.
  return `\n${printEntry(entry)}`;
}

/**
 * A random secret of 256 bits in characters that headers allow. The prefix helps secret scanners.
 */
export function newSecret(): string {
  return `sdb_${randomBytes(32).toString('base64url')}`;
}
