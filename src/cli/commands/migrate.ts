/** `seriesdb migrate`: renames segments by their hashes. */

import type { Command } from 'commander';

import { addOpeningFlags, addPlace, finishMaintenance } from '../session/maintenance-command.js';

import type { Session } from '../session/command.js';

export function addMigrate(program: Command, session: Session): void {
  const command = program
    .command('migrate')
    .description('rename segments of older versions by their hashes')
    .addHelpText(
      'after',
      '\nThe WAL is flushed to segments first. Each file is read once and renamed.' +
        '\nAn interruption, also of a command that asks a server, ends the migration and keeps finished files.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 a damaged segment was skipped, 130 interrupted.',
    );
  finishMaintenance(addOpeningFlags(addPlace(command)), session, async (context, [directory]) => {
    const { performLong } = await import('../maintenance/long-task.js');
    return performLong('migrate', context, directory);
  });
}
