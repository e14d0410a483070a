/** `seriesdb compact`: segments merged as far as they can be. */

import type { Command } from 'commander';

import { addOpeningFlags, addPlace, finishCare } from '../session/care-command.js';

import type { Session } from '../session/command.js';

export function addCompact(program: Command, session: Session): void {
  const command = program
    .command('compact')
    .description('merge the segments of a database as far as they can be')
    .addHelpText(
      'after',
      '\nWhat the log holds goes into segments first. An interruption, also of the command that asks' +
        '\na server, ends it and keeps what was merged.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.',
    );
  finishCare(addOpeningFlags(addPlace(command)), session, async (context, [directory]) => {
    const { performLong } = await import('../care/long-task.js');
    return performLong('compact', context, directory);
  });
}
