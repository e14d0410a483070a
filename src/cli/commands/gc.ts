/** `seriesdb gc`: what nothing needs is removed. */

import type { Command } from 'commander';

import { addOpeningFlags, addPlace, finishCare } from '../session/care-command.js';

import type { Session } from '../session/command.js';

export function addGc(program: Command, session: Session): void {
  const command = program
    .command('gc')
    .description('remove what neither the last state, snapshots, history nor a reader needs')
    .option('--history', 'history as well, all of it: only snapshots and the last state stay')
    .option('--dry-run', 'only say what would go; no byte of a directory is changed')
    .addHelpText(
      'after',
      '\nkept are files that nothing names and that have to stay for now: somebody reads them, a' +
        '\nbackup is made, or a file is damaged and they may have the same samples.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.',
    );
  finishCare(addOpeningFlags(addPlace(command)), session, async (context, [directory]) => {
    const { collectGarbage } = await import('../care/collect.js');
    return collectGarbage(context, directory);
  });
}
