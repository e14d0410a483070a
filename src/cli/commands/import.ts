/** `seriesdb import`: loads lines and tables, also from other programs. */

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
    .description('load CSV, Parquet or NDJSON files, also of other programs, into a database')
    .addOption(formatOption('format of the files (default: by their extensions)'))
    .option('--time-column <name>', 'time column: integers or ISO (default: ts…, time, timestamp)')
    .option('--value-column <name>', 'value column; repeat it for fields', append, [])
    .option('--metric <name>', 'one metric for all samples')
    .option('--metric-column <name>', 'column of metric names (default: metric)')
    .option('--ignore-column <name>', 'skip this column; all others are labels', append, [])
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
