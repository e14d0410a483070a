/** The flags of every command that reads settings, made from the table of settings. */

import { flagName, settingsFromFlags } from '../../config/from-flags.js';
import { adminFromEnv, settingsFromEnv } from '../../config/from-env.js';
import { settingsFromFile } from '../../config/from-file.js';
import { findSettingsFile, searchedFiles } from '../../config/find-file.js';
import { resolveSettings, type ResolvedSettings } from '../../config/resolve.js';
import { settingKeys, settingRows } from '../../config/settings.js';

import type { SettingKind } from '../../config/setting-kind.js';
import type { Command } from 'commander';

type Environment = Readonly<Record<string, string | undefined>>;

/** Secrets have no flag: every user of the machine can read the arguments of a process. */
export function addSettingFlags(command: Command): Command {
  command.option('--config <file>', `settings file (default: ${searchedFiles.join(', ')})`);
  for (const key of settingKeys) {
    const { type, purpose, isPending } = settingRows[key];
    if (type.kind === 'text' && type.isSecret === true) continue;
    const remark = isPending === true ? ' Has no effect yet.' : '';
    command.option(`${flagName(key)} <${placeholder(type)}>`, purpose.replaceAll('`', '') + remark);
  }
  return command;
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
 * Reads the file that the flags name, or else the first where files are looked for, each time it is
 * called. Throws `invalid_configuration`.
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
