/**
 * Settings from the environment: `SERIESDB_` and the key in capitals, with `_` for a dot. Keys of
 * the admin table also have the specification's plain names, such as `ADMIN_TOKEN`.
 */

import { settingKeys } from './settings.js';

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

const settingOf = new Map<string, string>(settingKeys.map((key) => [environmentName(key), key]));

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
 * resolve can refuse them.
 */
export function settingsFromEnv(environment: Environment): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !name.startsWith(kPrefix) || isServiceLink(name)) continue;
    found.set(settingOf.get(name) ?? name.slice(kPrefix.length).toLowerCase(), value);
  }
  return found;
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
