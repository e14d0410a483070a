/** `seriesdb inspect`: shows the contents of a database's files. */

import type { Command } from 'commander';

import { inspectedParts } from '../../operations/inspection.js';
import { addLimitFlag } from '../session/arguments.js';
import { addServer, finishMaintenance, placeHelp } from '../session/maintenance-command.js';

import type { Session } from '../session/command.js';

export function addInspect(program: Command, session: Session): void {
  const command = program
    .command('inspect')
    .description('show the segments, chunks, WAL and commits of a database')
    .argument('[dir]', `${placeHelp}; omit it with --url`)
    .argument('[part]', `${inspectedParts.join(', ')} (default: ${inspectedParts[0]})`)
    .option('--number <number>', 'only this segment, or this WAL file')
    .option('--json', 'print one JSON object per line instead of a table')
    .addHelpText(
      'after',
      '\nThe directory is not changed. A running server shows its files as of one moment, and the' +
        '\nsynced part of the WAL.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 an inspected file is damaged, 130 interrupted.',
    );
  finishMaintenance(addLimitFlag(addServer(command)), session, async (context, words) => {
    const { inspect } = await import('../maintenance/inspect.js');
    return inspect(context, words);
  });
}
