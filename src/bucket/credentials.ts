/** Keys for an object store, from where users of such stores have them already. */

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { AppError } from '../common/errors/app-error.js';

import type { Environment } from '../common/model/user-folder.js';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of keys that expire. */
  readonly sessionToken?: string;
}

function credentialsOf(
  id: string | undefined,
  secret: string | undefined,
  token: string | undefined,
): Credentials | null {
  if (id === undefined || secret === undefined || id === '' || secret === '') return null;
  const expiring = token === undefined || token === '' ? {} : { sessionToken: token };
  return { accessKeyId: id, secretAccessKey: secret, ...expiring };
}

/**
 * The profile AWS_PROFILE of the shared credentials file, if it is set; else AWS_ACCESS_KEY_ID and
 * AWS_SECRET_ACCESS_KEY; else the profile `default`. Throws `invalid_configuration` if there are
 * none: a store that anybody may write into is no place for a database.
 */
export function findCredentials(environment: Environment): Credentials {
  const { AWS_PROFILE: named = '' } = environment;
  const given = credentialsOf(
    environment['AWS_ACCESS_KEY_ID'],
    environment['AWS_SECRET_ACCESS_KEY'],
    environment['AWS_SESSION_TOKEN'],
  );
  if (given !== null && named === '') return given;
  const file = credentialsFile(environment);
  const found = file === null ? null : ofProfile(file, named === '' ? 'default' : named);
  if (found !== null) return found;
  const place = file ?? '~/.aws/credentials';
  throw new AppError(
    'invalid_configuration',
    named === ''
      ? 'there are no keys for the object store: set AWS_ACCESS_KEY_ID and ' +
          `AWS_SECRET_ACCESS_KEY, or write them into ${place}`
      : `${place} has no keys for the profile ${named} of AWS_PROFILE`,
  );
}

function credentialsFile(environment: Environment): string | null {
  const { AWS_SHARED_CREDENTIALS_FILE: given = '', HOME: home = '' } = environment;
  if (given !== '') return given;
  return home === '' ? null : path.join(home, '.aws', 'credentials');
}

/** Null if there is no such file or profile. */
function ofProfile(file: string, profile: string): Credentials | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return null;
  }
  const of = sectionOf(text, profile);
  return credentialsOf(
    of.get('aws_access_key_id'),
    of.get('aws_secret_access_key'),
    of.get('aws_session_token'),
  );
}

/**
 * The keys of a section. A comment has a line of its own: secrets may have `#` and `;`, which
 * libraries for such files take for comments.
 */
function sectionOf(text: string, name: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let isInside = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[([^\]]*)\]/.exec(line)?.[1];
    if (section !== undefined) isInside = section.trim() === name;
    const [, key, value] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (isInside && key !== undefined && value !== undefined) found.set(key, value);
  }
  return found;
}
