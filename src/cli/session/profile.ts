/** The client's configuration file: named profiles of servers. */

import path from 'node:path';

import { readTomlFile } from '../../config/toml-file.js';
import { AppError } from '../../common/errors/app-error.js';
import { userFile, type Environment } from '../../common/model/user-folder.js';

import { systemCodeOf } from './file-reason.js';
import { CommandFailure, UsageFailure } from './failure.js';
type ProfileFlags = Readonly<Record<string, unknown>>;
type ProfileTable = Readonly<Record<string, unknown>>;
/** Keys of the file, and the flag that each one sets. */
type Members = Readonly<Record<string, string>>;

/** Keys for commands that ask the public listener. */
const apiMembers: Members = {
  ...{ url: 'url', token_file: 'tokenFile', ca: 'ca', format: 'profileFormat' },
};
/** Keys for commands that ask the admin listener. */
const adminMembers: Members = { admin_url: 'url', admin_token_file: 'tokenFile', ca: 'ca' };
/**
 * Keys allowed above all profiles. The admin keys are not: a default must not select a database for
 * maintenance.
 */
const commonKeys = Object.keys(apiMembers);
const profileKeys = [...new Set([...commonKeys, ...Object.keys(adminMembers)])];
const filesKeys: ReadonlySet<string> = new Set(['token_file', 'admin_token_file', 'ca']);

const profilesName = 'profile';
const fileName = 'client.toml';

/**
 * Adds the flags of the file. Precedence: command line, named profile, environment, common keys of
 * the file.
 */
export function withProfile(flags: ProfileFlags, environment: Environment): ProfileFlags {
  const given = givenBy(flags, environment, apiMembers);
  if (given === null) return flags;
  const { common, own } = given;
  if (environment['SDB_URL'] !== undefined) delete common['url'];
  if (environment['SDB_TOKEN'] !== undefined) delete common['tokenFile'];
  return { ...common, ...own, ...flags };
}

/** The same for commands of the admin listener, which only a named profile can set. */
export function withAdminProfile(flags: ProfileFlags, environment: Environment): ProfileFlags {
  if (typeof flags['profile'] !== 'string') return flags;
  const given = givenBy(flags, environment, adminMembers);
  const all = { ...given?.common, ...given?.own, ...flags };
  if ('url' in all) return all;
  throw new UsageFailure(`${given?.file ?? ''}: the profile ${flags['profile']} has no admin_url`);
}

interface Given {
  readonly file: string;
  /** The flags above all profiles. */
  readonly common: Record<string, string>;
  /** The flags of the named profile. */
  readonly own: Readonly<Record<string, string>>;
}

/** Null if there is no file, which is usual. */
function givenBy(flags: ProfileFlags, environment: Environment, members: Members): Given | null {
  const file = userFile(environment, 'config', fileName);
  const name = typeof flags['profile'] === 'string' ? flags['profile'] : null;
  const document = file === null ? null : readIfThere(file);
  if (file === null || document === null) {
    if (name === null) return null;
    throw new UsageFailure(`--profile ${name}: there is no file ${file ?? fileName}`);
  }
  const { [profilesName]: profiles = {}, ...above } = document;
  const common = flagsOf(above, commonKeys, { file, members });
  if (name === null) return { file, common, own: {} };
  const chosen = isTable(profiles) ? profiles[name] : undefined;
  if (isTable(chosen))
    return { file, common, own: flagsOf(chosen, profileKeys, { file, members }) };
  const known = isTable(profiles) ? Object.keys(profiles).join(', ') : '';
  throw new UsageFailure(`${file} has no profile ${name}; it has ${known === '' ? 'none' : known}`);
}

function readIfThere(file: string): ProfileTable | null {
  try {
    return readTomlFile(file).document;
  } catch (error) {
    if (error instanceof AppError && systemCodeOf(error.cause) === 'ENOENT') return null;
    throw error;
  }
}

interface ProfileText {
  readonly file: string;
  readonly members: Members;
}

function flagsOf(
  table: ProfileTable,
  known: readonly string[],
  { file, members }: ProfileText,
): Record<string, string> {
  const flags: Record<string, string> = {};
  for (const [key, value] of Object.entries(table)) {
    if (!known.includes(key)) {
      const all = known.join(', ');
      throw new CommandFailure(`${file}: "${key}" is not one of ${all} and [${profilesName}.NAME]`);
    }
    if (typeof value !== 'string') throw new CommandFailure(`${file}: ${key} must be a string`);
    const flag = members[key];
    if (flag === undefined) continue;
    // Paths are relative to the file that contains them.
    flags[flag] = filesKeys.has(key) ? path.resolve(path.dirname(file), value) : value;
  }
  return flags;
}

function isTable(value: unknown): value is ProfileTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
