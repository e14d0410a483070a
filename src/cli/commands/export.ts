/** `seriesdb export`: samples as lines or as a table. */

import type { Command } from 'commander';

import { addLabelFlag, addTimes } from '../session/arguments.js';
import { finishClient } from '../session/client-command.js';
import { textFlag } from '../session/client-context.js';
import { formatOption } from '../tabular/format-option.js';

import type { Session } from '../session/command.js';

export function addExport(program: Command, session: Session): void {
  const command = program
    .command('export')
    .description('samples as lines or as a table, which `seriesdb import` takes back')
    .argument('[dir]', 'a data directory that no server has open, instead of a server')
    .option('--prefix <text>', 'only metrics whose names begin so')
    .option('--as-of <state>', 'that of a snapshot, a time or a commit (@NUMBER), not the last')
    .option('--output <file>', 'write here, and not to the standard output')
    .addOption(formatOption("form of the output, if not as the file's ending says"))
    .addHelpText(
      'after',
      '\nAnnotations are not part of it.' +
        '\nOf a state that --as-of names there is what was in segments by then.' +
        '\nExit codes: 0 all written, 1 failed, 2 wrong usage, 4 something was left out, 130 interrupted.',
    );
  addTimes(addLabelFlag(command));
  finishClient(command, session, async (context, flags, [directory]) => {
    const { exportDirectory, exportServer } = await import('../exporting/export.js');
    if (directory === undefined) return exportServer(context, flags);
    const opened = await session.directories.openForReading(
      directory,
      textFlag(flags, 'asOf') ?? null,
    );
    return exportDirectory(context, opened, flags);
  });
}
