/** `seriesdb ingest`: files as people have them into a database. */

import { InvalidArgumentError, Option, type Command } from 'commander';

import { isZone } from '../../model/zone.js';
import { decimalMarks } from '../../tables/cell-numbers.js';
import { compiledPattern } from '../../tables/cell-times.js';
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
      new Option('--format <form>', 'form of the files, if it is not to be guessed').choices(
        loadFormats,
      ),
    )
    .option('--time <column>', 'of the times: ISO, or numbers (default: by its name)')
    .option('--metric <name>', 'a column, or the name of all samples (default: the file)')
    .option('--value <column>', 'of the values; several are fields', append, [])
    .option(
      '--labels <columns>',
      'those that are labels, like a,b (default: all others)',
      readNames,
    )
    .option('--ignore <column>', 'leave it out', append, [])
    .option('--file-label <key>', "a label with each table's file name (default: where needed)")
    .option('--no-file-label', 'none, also where files give the same metric')
    .addOption(delimiterOption())
    .addOption(
      new Option(
        '--decimal <mark>',
        'before the fractions of numbers (default: as most have it)',
      ).choices(decimalMarks),
    )
    .option('--null <word>', 'one more text that stands for a missing number', append, [])
    .option('--date-format <pattern>', 'of the times, such as "DD.MM.YYYY hh:mm:ss"', readPattern)
    .option(
      '--tz <zone>',
      'of times that name none, such as Europe/Berlin (default: UTC)',
      readZone,
    )
    .option('--at <time>', 'of samples without a time (default: when the load began)')
    .option('--no-describe', "leave out what Prometheus' text says of its metrics")
    .option(
      '--dry-run',
      'load nothing: show what columns mean and five rows as they would be stored',
    )
    .addHelpText('after', ingestHelp);
  finishClient(addLabelFlag(addLoadFlags(command)), session, async (context, flags) => {
    const { ingestLines } = await import('../loading/ingest-input.js');
    const { ingestLoadOf } = await import('../loading/ingest-load.js');
    const options = loadOptionsOf(command, flags);
    const { files, wishes } = ingestLoadOf(context, flags, options.files);
    if (flags['dryRun'] === true) {
      const { dryRun } = await import('../loading/dry-run.js');
      return dryRun(context, files, wishes);
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
  throw new InvalidArgumentError('It must be a zone such as UTC or Europe/Berlin.');
}

function readNames(text: string): readonly string[] {
  return text.split(',').filter((name) => name !== '');
}
