/** The flags of commands that read settings, generated from the table of settings. */

import { Option, type Command } from 'commander';

import { flagName, settingsFromFlags } from '../../config/from-flags.js';
import { adminFromEnv, settingsFromEnv } from '../../config/from-env.js';
import { settingsFromFile } from '../../config/from-file.js';
import { findSettingsFile, searchedFiles } from '../../config/find-file.js';
import { resolveSettings, type ResolvedSettings } from '../../config/resolve.js';
import { settingKeys, settingRows, type SettingKey } from '../../config/settings.js';
import { printByteSize } from '../../common/model/byte-size.js';

import type { Environment } from '../../common/model/user-folder.js';
import type { SettingKind } from '../../config/setting-kind.js';

/** Secrets have no flag, because every user of the machine can read a process's arguments. */
export function addSettingFlags(command: Command): Command {
  command.option('--config <file>', `settings file (default: ${searchedFiles.join(', ')})`);
  let group = '';
  for (const key of settingKeys) {
    group = groupsFrom[key] ?? group;
    const { type } = settingRows[key];
    if (type.kind === 'text' && type.isSecret === true) continue;
    const option = new Option(`${flagName(key)} <${placeholder(type)}>`, purposeOf(key));
    command.addOption(option.helpGroup(group));
    const words = type.kind === 'boolean' ? ['true', 'false'] : [];
    settingWords.set(option, type.kind === 'choice' ? type.choices : words);
  }
  return command;
}

/** Headings of the help, at the first key of each group, in the order of the settings table. */
const groupsFrom: Partial<Record<SettingKey, string>> = {
  listen: 'The server:',
  fsync: 'Durability and memory:',
  max_line_bytes: 'Ingest limits:',
  transport: 'HTTP:',
  cas_mode: 'Modes:',
  max_query_rows: 'Queries:',
  allocator: 'Memory, compaction and retention:',
  'bucket.url': 'A database on a bucket:',
  'backup.to': 'Backups by schedule:',
  'admin.enabled': 'The admin listener:',
};

/**
 * The valid values of setting flags, for completion. The parser does not get them, because all
 * settings are validated in one place. A flag's default must not hide a value of the file.
 */
export const settingWords = new WeakMap<Option, readonly string[]>();

function purposeOf(key: SettingKey): string {
  const { type, purpose, isPending, fallback } = settingRows[key];
  const remark = isPending === true ? ' Has no effect yet.' : '';
  const plain = Array.isArray(fallback) ? fallback.join(',') : String(fallback ?? '');
  const isSize = type.kind === 'size' && typeof fallback === 'number';
  const text = isSize ? printByteSize(fallback) : plain;
  const told = text === '' ? '' : ` (default: ${text})`;
  return purpose.replaceAll('`', '') + remark + told;
}

function placeholder(type: SettingKind): string {
  switch (type.kind) {
    case 'address':
      return 'host:port';
    case 'boolean':
      return 'true|false';
    case 'choice':
      return type.choices.join('|');
    case 'list':
      return `${type.of},...`;
    case 'retention':
      return 'toml';
    default:
      return type.kind;
  }
}

/**
 * Reads the settings file that the flags name, otherwise the first default file, on every call.
 * Throws `invalid_configuration`.
 */
export function resolveInputs(
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
): ResolvedSettings {
  const named = flags['config'];
  const path = typeof named === 'string' ? named : findSettingsFile(environment);
  return resolveSettings({
    ...(path === null ? {} : { path, file: settingsFromFile(path) }),
    adminEnvironment: adminFromEnv(environment),
    environment: settingsFromEnv(environment),
    flags: settingsFromFlags(flags),
  });
}
