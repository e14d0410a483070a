/** `seriesdb export`: writes samples as lines or as a table. */

import type { Command } from 'commander';

import { addLabelFlag, addTimes } from '../session/arguments.js';
import { finishClient } from '../session/client-command.js';
import { textFlag } from '../session/client-context.js';
import { contextIn, namingSocket } from '../session/own-client.js';
import { formatOption } from '../tabular/format-option.js';

import type { Session } from '../session/command.js';

export function addExport(program: Command, session: Session): void {
  const command = program
    .command('export')
    .description('write samples as lines or a table, for `seriesdb import`')
    .argument('[dir]', 'read this data directory; a server of yours that has it open reads it')
    .option('--prefix <text>', 'only metrics with this prefix')
    .option('--as-of <state>', 'export this past state: a snapshot, a time or a commit (@NUMBER)')
    .option('--output <file>', 'write to this file instead of standard output')
    .addOption(formatOption("format of the output (default: by the file's extension)"))
    .addHelpText(
      'after',
      '\nAnnotations are not exported.' +
        '\nA past state (--as-of) has the samples that were in segments then.' +
        '\nExit codes: 0 all written, 1 failed, 2 wrong usage, 4 some samples were omitted, 130 interrupted.',
    );
  addTimes(addLabelFlag(command));
  finishClient(command, session, async (context, flags, [directory]) => {
    const { exportDirectory, exportServer } = await import('../exporting/export.js');
    if (directory === undefined) return exportServer(context, flags);
    const own = await contextIn(context, directory);
    if (own !== null) return namingSocket(() => exportServer(own, flags));
    const opened = await session.directories.openForReading(
      directory,
      textFlag(flags, 'asOf') ?? null,
    );
    return exportDirectory(context, opened, flags);
  });
}
