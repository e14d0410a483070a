/** From settings to object stores: of the bucket of the database, and of its backups. */

import { readFileSync } from 'node:fs';

import { parseBucketUrl } from './bucket/bucket-place.js';
import { findCredentials, type Credentials } from './bucket/credentials.js';
import { storeAddress, type StoreSettings } from './bucket/store-settings.js';
import { AppError } from './common/errors/app-error.js';
import { thrownMessage } from './common/errors/thrown-message.js';

import type { Environment } from './common/model/user-folder.js';
import type { Settings } from './config/settings.js';

/** The bucket of the settings; null without one. Throws `invalid_configuration`. */
export function storeOf(settings: Settings, environment: Environment): StoreSettings | null {
  const { 'bucket.url': url } = settings;
  return url === null ? null : storeAt(url, { table: 'bucket', settings, environment });
}

/** The store of backups at `url`. Throws `invalid_configuration`. */
export function backupStoreOf(
  url: string,
  settings: Settings,
  environment: Environment,
): StoreSettings {
  return storeAt(url, { table: 'backup', settings, environment });
}

interface StoreSource {
  /** The settings that say how the store is reached. */
  readonly table: 'bucket' | 'backup';
  readonly settings: Settings;
  readonly environment: Environment;
}

function storeAt(url: string, source: StoreSource): StoreSettings {
  const { table, settings, environment } = source;
  const place = parseBucketUrl(url);
  const address = storeAddress(
    place,
    {
      endpoint: settings[`${table}.endpoint`] ?? undefined,
      region: settings[`${table}.region`] ?? undefined,
      isPathStyle: settings[`${table}.path_style`] ?? undefined,
    },
    environment,
  );
  const credentials = ownCredentials(source) ?? findCredentials(environment);
  const key = `${table}.ca` as const;
  const file = settings[key] ?? environment['AWS_CA_BUNDLE'] ?? '';
  return { place, address, credentials, ...(file === '' ? {} : { ca: certificatesIn(file, key) }) };
}

function ownCredentials({ table, settings }: StoreSource): Credentials | null {
  const id = settings[`${table}.access_key_id`];
  const secret = settings[`${table}.secret_access_key`];
  const token = settings[`${table}.session_token`];
  if (id === null || secret === null) return null;
  const expiring = token === null ? {} : { sessionToken: token };
  return { accessKeyId: id, secretAccessKey: secret, ...expiring };
}

function certificatesIn(file: string, key: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const message = `cannot read ${key}: ${thrownMessage(cause)}`;
    throw new AppError('invalid_configuration', message, { cause });
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new AppError('invalid_configuration', `${key}: ${file} holds no certificate in PEM`);
}
