/** `seriesdb config check`: prints the effective settings of a server. */

import type { Command } from 'commander';

import { printSettings } from '../../config/show.js';
import { addSettingFlags, resolveInputs } from '../session/setting-flags.js';

import type { Flags } from '../session/client-context.js';
import type { Session } from '../session/command.js';

export function addConfig(program: Command, { terminal, verify }: Session): void {
  const config = program.command('config').description('check the settings').exitOverride();
  addSettingFlags(config.command('check').description('check the settings and print them all'))
    .exitOverride()
    .action((flags: Flags) => {
      const resolved = resolveInputs(flags, terminal.environment);
      verify(resolved.settings);
      terminal.write(printSettings(resolved));
    });
}
