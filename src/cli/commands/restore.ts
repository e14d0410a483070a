/** `seriesdb restore`: a database made of a backup. */

import type { Command } from 'commander';

import { finishCare } from '../session/care-command.js';

import type { Session } from '../session/command.js';

export function addRestore(program: Command, session: Session): void {
  const command = program
    .command('restore')
    .description('make a database of a backup')
    .argument('<backup>', 'the backup, which stays as it is')
    .argument('<dir>', 'the data directory to make, which is empty')
    .option('--snapshot <name>', 'the state of this snapshot, not the last one')
    .option('--json', 'a JSON object a line, as each file is done')
    .addHelpText(
      'after',
      '\nEach file is hashed as it is copied. One that is cut short goes on when it is done again.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 a file is damaged, 130 interrupted.',
    );
  finishCare(command, session, async (context, [source, target]) => {
    const { restore } = await import('../care/backup.js');
    return restore(context, { source: source ?? '', target: target ?? '' });
  });
}
