/** `seriesdb inspect`: what the files of a database say. */

import type { Command } from 'commander';

import { inspectedParts } from '../../operations/inspection.js';
import { addLimitFlag } from '../session/arguments.js';
import { addServer, finishCare } from '../session/care-command.js';

import type { Session } from '../session/command.js';

export function addInspect(program: Command, session: Session): void {
  const command = program
    .command('inspect')
    .description('what the files of a database say, as tables')
    .argument('[dir]', 'the data directory, which no server has open; left out with --url')
    .argument('[part]', `${inspectedParts.join(', ')} (default: ${inspectedParts[0]})`)
    .option('--number <number>', 'only this segment, or this file of the log')
    .option('--json', 'a JSON object a line, not a table')
    .addHelpText(
      'after',
      '\nNo byte of the directory is changed. A running server tells of its files as of one moment,' +
        '\nof the log what is synced.' +
        '\nExit codes: 0 told, 1 failed, 2 wrong usage, 3 a file that was to be told of is damaged, 130 interrupted.',
    );
  finishCare(addLimitFlag(addServer(command)), session, async (context, words) => {
    const { inspect } = await import('../care/inspect.js');
    return inspect(context, words);
  });
}
