/** `seriesdb restore`: restores a backup into a new directory. */

import type { Command } from 'commander';

import { finishMaintenance } from '../session/maintenance-command.js';

import type { Session } from '../session/command.js';

export function addRestore(program: Command, session: Session): void {
  const command = program
    .command('restore')
    .description('restore a backup into a new directory')
    .argument('<backup>', 'the backup, which is not changed')
    .argument('<dir>', 'the new, empty data directory')
    .option('--snapshot <name>', 'restore this snapshot instead of the last state')
    .option('--json', 'print one JSON object per line as each file is done')
    .addHelpText(
      'after',
      '\nEach file is hashed as it is copied. Run an interrupted restore again to continue it.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 a file is damaged, 130 interrupted.',
    );
  finishMaintenance(command, session, async (context, [source, target]) => {
    const { restore } = await import('../maintenance/backup.js');
    return restore(context, { source: source ?? '', target: target ?? '' });
  });
}
