/** `seriesdb import`: lines and tables, also of other programs, into a database. */

import type { Command } from 'commander';

import { addLoadFlags, load, loadEnds, loadOptionsOf } from '../loading/load-command.js';
import { addLabelFlag } from '../session/arguments.js';
import { finishClient } from '../session/client-command.js';
import { append, delimiterOption } from '../tabular/column-flags.js';
import { formatOption } from '../tabular/format-option.js';

import type { Session } from '../session/command.js';

export function addImport(program: Command, session: Session): void {
  const command = program
    .command('import')
    .description('load files of CSV, Parquet or NDJSON, also of other programs, into a database')
    .addOption(formatOption("form of the files, if not as their names' endings say"))
    .option('--time-column <name>', 'of the times: integers or ISO (default: ts…, time, timestamp)')
    .option('--value-column <name>', 'of the values; several are fields', append, [])
    .option('--metric <name>', 'the name of all samples')
    .option('--metric-column <name>', 'of the names, if not "metric"')
    .option('--ignore-column <name>', 'leave it out; all others are labels', append, [])
    .addOption(delimiterOption())
    .addHelpText('after', loadEnds);
  finishClient(addLabelFlag(addLoadFlags(command)), session, async (context, flags) => {
    const { tableLines, tableLoadOf } = await import('../loading/table-load.js');
    const table = tableLoadOf(flags, context.signal);
    return load(context, { flags, directories: session.directories }, ({ unit }) => ({
      ...loadOptionsOf(command, flags),
      linesOf: (input) => tableLines(input, table, unit),
    }));
  });
}
