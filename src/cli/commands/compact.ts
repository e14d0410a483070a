/** `seriesdb compact`: compacts segments as far as possible. */

import type { Command } from 'commander';

import { addOpeningFlags, addPlace, finishMaintenance } from '../session/maintenance-command.js';

import type { Session } from '../session/command.js';

export function addCompact(program: Command, session: Session): void {
  const command = program
    .command('compact')
    .description('compact the segments of a database as far as possible')
    .addHelpText(
      'after',
      '\nThe WAL is flushed to segments first. An interruption, also of a command that asks a server,' +
        '\nends the compaction and keeps what was merged.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.',
    );
  finishMaintenance(addOpeningFlags(addPlace(command)), session, async (context, [directory]) => {
    const { performLong } = await import('../maintenance/long-task.js');
    return performLong('compact', context, directory);
  });
}
