/** `seriesdb undelete`: samples of the past brought back. */

import type { Command } from 'commander';

import { addLabelFlag, addTimes } from '../session/arguments.js';
import { addOpeningFlags, addPlace, finishCare } from '../session/care-command.js';

import type { Session } from '../session/command.js';

export function addUndelete(program: Command, session: Session): void {
  const command = program
    .command('undelete')
    .description('bring back samples that the database had, and has no more')
    .requiredOption('--as-of <state>', 'a snapshot, or a time or @commit of history, that has them')
    .option('--metric <name>', 'only series of this metric')
    .option('--prefix <text>', 'or only metrics whose names begin so')
    .option('--dry-run', 'only count what would come back')
    .addHelpText(
      'after',
      '\nWhat the database has at a time stays as it is, so that it can be done again and again.' +
        '\nWithout any choice of series or times all comes back that the state has.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted; what was brought back by then stays.',
    );
  addTimes(addLabelFlag(command));
  finishCare(addOpeningFlags(addPlace(command)), session, async (context, [directory]) => {
    const { undelete } = await import('../care/undelete.js');
    return undelete(context, directory);
  });
}
