/** Keys for an object store, from where users of such stores have them already. */

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'ini';

import { AppError } from '../common/errors/app-error.js';

import type { Environment } from '../common/model/user-folder.js';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of keys that expire. */
  readonly sessionToken?: string;
}

export interface FoundCredentials {
  readonly credentials: Credentials;
  /** For people: where they are from. */
  readonly source: string;
}

function credentialsOf(id: unknown, secret: unknown, token: unknown): Credentials | null {
  if (typeof id !== 'string' || typeof secret !== 'string' || id === '' || secret === '') {
    return null;
  }
  const isToken = typeof token === 'string' && token !== '';
  return { accessKeyId: id, secretAccessKey: secret, ...(isToken ? { sessionToken: token } : {}) };
}

/**
 * The first of: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; the profile AWS_PROFILE, or `default`,
 * of the shared credentials file. Throws `invalid_configuration` if there are none: a store that
 * anybody may write into is no place for a database.
 */
export function findCredentials(environment: Environment): FoundCredentials {
  const given = credentialsOf(
    environment['AWS_ACCESS_KEY_ID'],
    environment['AWS_SECRET_ACCESS_KEY'],
    environment['AWS_SESSION_TOKEN'],
  );
  // A profile that is named wins, as in the tools of Amazon.
  const isProfileNamed = (environment['AWS_PROFILE'] ?? '') !== '';
  if (given !== null && !isProfileNamed) {
    return { credentials: given, source: 'AWS_ACCESS_KEY_ID' };
  }
  const file = credentialsFile(environment);
  const profile = isProfileNamed ? (environment['AWS_PROFILE'] ?? '') : 'default';
  const found = file === null ? null : ofProfile(file, profile);
  if (found !== null) return { credentials: found, source: `profile ${profile} of ${file ?? ''}` };
  if (given !== null) return { credentials: given, source: 'AWS_ACCESS_KEY_ID' };
  throw new AppError(
    'invalid_configuration',
    'there are no keys for the object store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ' +
      `or write them into ${file ?? '~/.aws/credentials'}`,
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
  const section: unknown = parse(text)[profile];
  if (typeof section !== 'object' || section === null) return null;
  const of = section as Readonly<Record<string, unknown>>;
  return credentialsOf(
    of['aws_access_key_id'],
    of['aws_secret_access_key'],
    of['aws_session_token'],
  );
}
