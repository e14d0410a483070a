/** `seriesdb gc`: removes unreferenced files. */

import type { Command } from 'commander';

import { addOpeningFlags, addPlace, finishMaintenance } from '../session/maintenance-command.js';

import type { Session } from '../session/command.js';

export function addGc(program: Command, session: Session): void {
  const command = program
    .command('gc')
    .description(
      'remove files that neither the current state, snapshots, history nor a reader needs',
    )
    .option('--history', 'also remove the whole history: only snapshots and the current state stay')
    .option('--dry-run', 'only print what would be removed; change nothing')
    .addHelpText(
      'after',
      '\n"kept" counts unused files that must stay for now: a reader or a running backup needs them,' +
        '\nor another file is damaged and they may have the same samples.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.',
    );
  finishMaintenance(addOpeningFlags(addPlace(command)), session, async (context, [directory]) => {
    const { collectGarbage } = await import('../maintenance/collect.js');
    return collectGarbage(context, directory);
  });
}
