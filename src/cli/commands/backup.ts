/** `seriesdb backup`: copies a database to its own directory. */

import type { Command } from 'commander';

import { addOpeningFlags, addPlace, finishMaintenance } from '../session/maintenance-command.js';

import type { Session } from '../session/command.js';

export function addBackup(program: Command, session: Session): void {
  const command = program
    .command('backup')
    .description('copy a database and its snapshots to another directory')
    .argument('<target>', 'an empty directory, or the last backup, which is brought up to date')
    .addHelpText(
      'after',
      '\nA server that has the directory open writes the backup, as its own user; --url asks a server' +
        '\nelsewhere, and the target is then on its machine.' +
        '\nThe previous backup stays valid until the new one is complete.' +
        '\nRepeat an interrupted backup to continue it.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 a file is damaged, 130 interrupted.',
    );
  finishMaintenance(
    addOpeningFlags(addPlace(command)),
    session,
    async (context, [target, directory]) => {
      const { backup } = await import('../maintenance/backup.js');
      return backup(context, { target: target ?? '', directory });
    },
  );
}
