/** The client's own file: where the servers are that somebody asks, by name. */

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'smol-toml';

import { userFile } from '../../model/user-folder.js';

import { readReasonOf, systemCodeOf } from './file-reason.js';
import { CommandFailure, UsageFailure } from './failure.js';

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;
type Table = Readonly<Record<string, unknown>>;

/** What stands in the file, and the flag that each stands for. */
const members = { url: 'url', token_file: 'tokenFile', ca: 'ca', format: 'profileFormat' } as const;
const profilesName = 'profile';
const fileName = 'client.toml';

/**
 * The flags with those that the file gives. A flag of the command line goes before a profile that
 * it names, that before a variable of the environment, and this before what the file says of all.
 */
export function withProfile(flags: Flags, environment: Environment): Flags {
  const file = userFile(environment, 'config', fileName);
  const name = flags['profile'];
  const document = file === null ? null : documentIn(file);
  if (typeof name === 'string' && document === null) {
    throw new UsageFailure(`--profile ${name}: there is no file ${file ?? fileName}`);
  }
  if (file === null || document === null) return flags;
  const { [profilesName]: profiles = {}, ...common } = document;
  const all = flagsOf(common, file);
  if (environment['SDB_URL'] !== undefined) delete all['url'];
  if (environment['SDB_TOKEN'] !== undefined) delete all['tokenFile'];
  if (typeof name !== 'string') return { ...all, ...flags };
  const chosen = isTable(profiles) ? profiles[name] : undefined;
  if (!isTable(chosen)) {
    const known = isTable(profiles) ? Object.keys(profiles).join(', ') : '';
    throw new UsageFailure(
      `${file} has no profile ${name}; it has ${known === '' ? 'none' : known}`,
    );
  }
  return { ...all, ...flagsOf(chosen, file), ...flags };
}

/** Null where there is no file, which is usual. */
function documentIn(file: string): Table | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw new CommandFailure(`cannot read ${file}: ${readReasonOf(error)}`);
  }
  try {
    return parse(text);
  } catch (error) {
    const line = error instanceof Error && 'line' in error ? ` at line ${String(error.line)}` : '';
    throw new CommandFailure(`${file} is not valid TOML${line}`);
  }
}

function flagsOf(table: Table, file: string): Record<string, string> {
  const flags: Record<string, string> = {};
  for (const [key, value] of Object.entries(table)) {
    if (!isMember(key)) {
      const known = Object.keys(members).join(', ');
      throw new CommandFailure(`${file}: "${key}" is none of ${known} and [${profilesName}.NAME]`);
    }
    if (typeof value !== 'string') throw new CommandFailure(`${file}: ${key} must be a text`);
    const isFile = key === 'token_file' || key === 'ca';
    // Beside the file that names it, wherever the command runs.
    flags[members[key]] = isFile ? path.resolve(path.dirname(file), value) : value;
  }
  return flags;
}

function isMember(key: string): key is keyof typeof members {
  return Object.hasOwn(members, key);
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
