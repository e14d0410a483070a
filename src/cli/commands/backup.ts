/** `seriesdb backup`: a copy in a directory of its own. */

import type { Command } from 'commander';

import { addOpeningFlags, addPlace, finishCare } from '../session/care-command.js';

import type { Session } from '../session/command.js';

export function addBackup(program: Command, session: Session): void {
  const command = program
    .command('backup')
    .description('copy a database, its snapshots among it, to a directory of its own')
    .argument('<target>', 'an empty directory, or the last backup, which gets what is new')
    .addHelpText(
      'after',
      '\nA server may have the database open: name it by --url; the target is on its machine then.' +
        '\nUntil it has ended the backup of before is whole, and one that is cut short goes on.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 a file is damaged, 130 interrupted.',
    );
  finishCare(addOpeningFlags(addPlace(command)), session, async (context, [target, directory]) => {
    const { backup } = await import('../care/backup.js');
    return backup(context, { target: target ?? '', directory });
  });
}
