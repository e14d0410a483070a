/** `seriesdb migrate`: segments named by their hashes. */

import type { Command } from 'commander';

import { addOpeningFlags, addPlace, finishCare } from '../session/care-command.js';

import type { Session } from '../session/command.js';

export function addMigrate(program: Command, session: Session): void {
  const command = program
    .command('migrate')
    .description('name by their hashes the segments that a program of before wrote')
    .addHelpText(
      'after',
      '\nWhat the log holds goes into segments first. Each file is read once and gets another name.' +
        '\nAn interruption, also of the command that asks a server, ends it and keeps what was done.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 a segment is damaged and was left, 130 interrupted.',
    );
  finishCare(addOpeningFlags(addPlace(command)), session, async (context, [directory]) => {
    const { performLong } = await import('../care/long-task.js');
    return performLong('migrate', context, directory);
  });
}
