/** `seriesdb ingest`: loads files of many formats. */

import { InvalidArgumentError, Option, type Command } from 'commander';

import { isZone, noZone } from '../../common/model/zone.js';
import { decimalMarks } from '../../common/tables/cell-numbers.js';
import { compiledPattern } from '../../common/tables/cell-times.js';
import { ingestHelp } from '../loading/ingest-help.js';
import { addLoadFlags, load, loadOptionsOf } from '../loading/load-command.js';
import { loadFormats } from '../loading/load-format.js';
import { addLabelFlag } from '../session/arguments.js';
import { finishClient } from '../session/client-command.js';
import { append, delimiterOption } from '../tabular/column-flags.js';

import type { Session } from '../session/command.js';

export function addIngest(program: Command, session: Session): void {
  const command = program
    .command('ingest')
    .description(
      'load files or directories of NDJSON, CSV, line protocol or Prometheus text into a database',
    )
    .addOption(
      new Option('--format <form>', 'format of the files (default: guessed)').choices(loadFormats),
    )
    .option('--time <column>', 'time column: ISO, or numbers (default: by its name)')
    .option('--metric <name>', 'a column, or one metric for all samples (default: the file name)')
    .option('--value <column>', 'value column; repeat it for fields', append, [])
    .option('--labels <columns>', 'label columns, such as a,b (default: all others)', readNames)
    .option('--ignore <column>', 'skip this column; repeatable', append, [])
    .option('--file-label <key>', "add each table's file name as this label (default: if needed)")
    .option('--no-file-label', 'no such label, even if files have the same metric')
    .addOption(delimiterOption())
    .addOption(
      new Option(
        '--decimal <mark>',
        'decimal mark of numbers (default: that of most numbers)',
      ).choices(decimalMarks),
    )
    .option('--null <word>', 'another text for a missing number; repeatable', append, [])
    .option(
      '--date-format <pattern>',
      'format of the times, such as "DD.MM.YYYY hh:mm:ss"',
      readPattern,
    )
    .option(
      '--tz <zone>',
      'zone of times without one, such as Europe/Berlin (default: UTC)',
      readZone,
    )
    .option('--at <time>', 'timestamp for samples that have none (default: start of the load)')
    .option('--no-describe', "ignore the descriptors in Prometheus' text")
    .option('--dry-run', 'load nothing: print the columns and five rows as they would be stored')
    .addHelpText('after', ingestHelp);
  finishClient(addLabelFlag(addLoadFlags(command)), session, async (context, flags) => {
    const { ingestLines } = await import('../loading/ingest-input.js');
    const { ingestLoadOf } = await import('../loading/ingest-load.js');
    const options = loadOptionsOf(command, flags);
    const { files, wishes } = ingestLoadOf(context, flags, options.files);
    if (flags['dryRun'] === true) {
      const { dryRun } = await import('../loading/dry-run.js');
      return dryRun(context, { files, wishes, directories: session.directories });
    }
    return load(context, { flags, directories: session.directories }, ({ unit }) => ({
      ...{ ...options, files },
      linesOf: (input, begunMs) => ingestLines(input, wishes, { unit, begunMs }),
    }));
  });
}

function readPattern(text: string): string {
  if (compiledPattern(text) !== null) return text;
  throw new InvalidArgumentError(
    'It must have DD, MM and YYYY or YY, and may have hh, mm, ss, A (AM or PM) and Z.',
  );
}

function readZone(text: string): string {
  if (isZone(text)) return text;
  throw new InvalidArgumentError(noZone(text));
}

function readNames(text: string): readonly string[] {
  return text.split(',').filter((name) => name !== '');
}
