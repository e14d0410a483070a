/** `seriesdb serve`: runs the server. */

import type { Command } from 'commander';

import { addSettingFlags, resolveInputs } from '../session/setting-flags.js';

import type { ResolvedSettings } from '../../config/resolve.js';
import type { Flags } from '../session/client-context.js';
import type { Session } from '../session/command.js';

export function addServe(program: Command, { terminal, serve, ended }: Session): void {
  addSettingFlags(program.command('serve').description('run the server'))
    .exitOverride()
    .action(async (flags: Flags) => {
      const resolveAgain = (): ResolvedSettings => resolveInputs(flags, terminal.environment);
      ended(await serve({ resolved: resolveAgain(), resolveAgain }));
    });
}
