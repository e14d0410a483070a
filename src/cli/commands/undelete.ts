/** `seriesdb undelete`: restores deleted samples. */

import { Option, type Command } from 'commander';

import { addLabelFlag, addTimes, needOption } from '../session/arguments.js';
import { addOpeningFlags, addPlace, finishMaintenance } from '../session/maintenance-command.js';

import type { Session } from '../session/command.js';

export function addUndelete(program: Command, session: Session): void {
  const past = 'state that has them: a snapshot, a time or a commit (@NUMBER)';
  const command = needOption(
    program.command('undelete').description('restore deleted samples from a past state'),
    new Option('--as-of <state>', past),
  )
    .option('--metric <name>', 'only series of this metric')
    .option('--prefix <text>', 'only series of metrics with this prefix')
    .option('--dry-run', 'only count the samples to restore')
    .addHelpText(
      'after',
      '\nExisting samples are never overwritten, so the command can be repeated.' +
        '\nWithout a choice of series or times everything in the state is restored.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted; samples restored until then stay.',
    );
  addTimes(addLabelFlag(command));
  finishMaintenance(addOpeningFlags(addPlace(command)), session, async (context, [directory]) => {
    const { undelete } = await import('../maintenance/undelete.js');
    return undelete(context, directory);
  });
}
