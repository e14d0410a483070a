/**
 * Settings from the environment: `SERIESDB_` and the key in capitals, with `_` for a dot. Keys of
 * the admin table also have the specification's plain names, such as `ADMIN_TOKEN`. A secret may
 * stand in a file, which the same name with `_FILE` behind it names.
 */

import { readFileSync } from 'node:fs';

import { AppError } from '../common/errors/app-error.js';
import { thrownMessage } from '../common/errors/thrown-message.js';

import { settingKeys, settingRows, type SettingKey } from './settings.js';

import type { Environment } from '../common/model/user-folder.js';

const kPrefix = 'SERIESDB_';

/** The environment variable of a key. */
export function environmentName(key: string): string {
  return kPrefix + plainName(key);
}

/** The plain name of an admin key. `environmentName` takes precedence. */
export function plainName(key: string): string {
  return key.toUpperCase().replaceAll('.', '_');
}

/** The file of a secret, as container platforms mount them. */
const kFile = '_FILE';

const settingOf = new Map<string, SettingKey>(
  settingKeys.map((key) => [environmentName(key), key]),
);

/**
 * Variables of container platforms that locate a service named seriesdb, such as
 * `SERIESDB_SERVICE_HOST` or `SERIESDB_PORT_8080_TCP_ADDR`.
 */
const kServiceLink =
  /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?)$/;

function isServiceLink(name: string): boolean {
  return name.startsWith(kPrefix) && !settingOf.has(name) && kServiceLink.test(name);
}

/** Variables with the prefix `SERIESDB_` that a container platform set. They are not settings. */
export function serviceLinks(environment: Environment): readonly string[] {
  return Object.keys(environment).filter(isServiceLink).sort();
}

/**
 * Variables with the prefix `SERIESDB_`, except service links. Unknown ones are included, so that
 * resolve can refuse them. Throws `invalid_configuration` if the file of a secret cannot be read.
 */
export function settingsFromEnv(environment: Environment): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !name.startsWith(kPrefix) || isServiceLink(name)) continue;
    const secret = secretOfFile(name);
    if (secret === null) {
      found.set(settingOf.get(name) ?? name.slice(kPrefix.length).toLowerCase(), value);
      continue;
    }
    if (environment[environmentName(secret)] !== undefined) {
      throw new AppError('invalid_configuration', `${name} and ${environmentName(secret)} are set`);
    }
    found.set(secret, secretIn(name, value));
  }
  return found;
}

/** The secret whose file the variable names; null if it is another variable. */
function secretOfFile(name: string): SettingKey | null {
  if (!name.endsWith(kFile) || settingOf.has(name)) return null;
  const key = settingOf.get(name.slice(0, -kFile.length));
  if (key === undefined) return null;
  const { type } = settingRows[key];
  return type.kind === 'text' && type.isSecret === true ? key : null;
}

/** Editors end a file with a line break. */
function secretIn(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    const reason = thrownMessage(cause);
    throw new AppError('invalid_configuration', `cannot read ${name}: ${reason}`, { cause });
  }
}

/** Values of `ADMIN_ENABLED`, `ADMIN_LISTEN`, `ADMIN_TOKEN` and `ADMIN_ALLOW`. */
export function adminFromEnv(environment: Environment): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const key of settingKeys.filter((one) => one.startsWith('admin.'))) {
    const value = environment[plainName(key)];
    if (value !== undefined) found.set(key, value);
  }
  return found;
}
