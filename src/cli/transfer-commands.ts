/** The commands that bring samples in and out: their flags and their help. */

import { InvalidArgumentError, Option, type Command } from 'commander';

import { parseByteSize } from '../model/byte-size.js';
import { parseDurationMs } from '../model/duration.js';
import { isTimestampUnit, timestampUnits } from '../model/timestamp-unit.js';

import { addLabelFlag, addTimes } from './session/arguments.js';
import { finish, type ClientProgram } from './client-commands.js';
import { textFlag, type ClientContext, type Flags } from './session/client-context.js';
import { tableFormats } from './tabular/columns.js';

import type { Directories } from './session/directories.js';
import type { Input } from './loading/input.js';
import type { LoadOptions } from './loading/load.js';
import type { LoadTarget } from './loading/target.js';

/** Adds all of them to the program. */
export function addTransferCommands(
  program: Command,
  client: ClientProgram,
  directories: Directories,
): void {
  addIngest(program, client, directories);
  addImport(program, client, directories);
  addExport(program, client, directories);
}

const loadEnds =
  '\nAn interrupted load goes on where it was when the same command runs again.' +
  '\nExit codes: 0 all stored, 1 failed, 2 done but something was skipped, 130 interrupted.';

function addIngest(program: Command, client: ClientProgram, directories: Directories): void {
  const command = program
    .command('ingest')
    .description('load files of NDJSON lines, plain or .gz, or the standard input, into a database')
    .addHelpText('after', loadEnds);
  finish(addLoadFlags(command), client, async (context, flags) => {
    const linesOf = (input: Input): Promise<Input> => Promise.resolve(input);
    const options = loadOptionsOf(command, flags);
    return load(context, { flags, directories }, () => ({ ...options, linesOf }));
  });
}

function addImport(program: Command, client: ClientProgram, directories: Directories): void {
  const command = program
    .command('import')
    .description('load files of CSV, Parquet or NDJSON, also of other programs, into a database')
    .addOption(formatOption("form of the files, if not as their names' endings say"))
    .option('--time-column <name>', 'of the times: integers or ISO (default: ts…, time, timestamp)')
    .option('--value-column <name>', 'of the values; several are fields', append, [])
    .option('--metric <name>', 'the name of all samples')
    .option('--metric-column <name>', 'of the names, if not "metric"')
    .option('--ignore-column <name>', 'leave it out; all others are labels', append, [])
    .option('--delimiter <character>', 'what stands between cells, or "tab"', readDelimiter)
    .addHelpText('after', loadEnds);
  finish(addLabelFlag(addLoadFlags(command)), client, async (context, flags) => {
    const { tableLines, tableLoadOf } = await import('./loading/table-load.js');
    const table = tableLoadOf(flags, context.signal);
    return load(context, { flags, directories }, ({ unit }) => ({
      ...loadOptionsOf(command, flags),
      linesOf: (input) => tableLines(input, table, unit),
    }));
  });
}

/** What says where a load goes. */
interface LoadPlaces {
  readonly flags: Flags;
  readonly directories: Directories;
}

/** Opens where it goes, and closes it however it ends. Resolves with the exit code. */
async function load(
  context: ClientContext,
  { flags, directories }: LoadPlaces,
  options: (target: LoadTarget) => Omit<LoadOptions, 'target'>,
): Promise<number> {
  const { Load } = await import('./loading/load.js');
  const { openTarget } = await import('./loading/target.js');
  const target = await openTarget(context, flags, directories);
  try {
    return await new Load(context, { target, ...options(target) }).run();
  } finally {
    await target.close();
  }
}

/** The flags of every load. */
function addLoadFlags(command: Command): Command {
  return command
    .argument('[files...]', 'files to load; - or none is the standard input')
    .option('--into <dir>', 'a data directory that no server has open, instead of a server')
    .option('--config <file>', 'with --into: the settings of its server')
    .addOption(
      new Option('--on-error <action>', 'what a line that is refused does to the load')
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .option('--precision <unit>', "unit of the lines' timestamps, if not the database's", readUnit)
    .addOption(
      new Option('--batch-size <size>', 'about so much in one request')
        .argParser(readSize)
        .default(4 * 1024 * 1024, '4MiB'),
    )
    .addOption(
      new Option('--wait <duration>', 'patience with a server that is busy or starts again')
        .argParser(readDuration)
        .default(60_000, '60s'),
    )
    .option('--resume <file>', 'keep the state of the load here, not beside each file')
    .option('--no-resume', 'neither keep nor use such a state');
}

function loadOptionsOf(command: Command, flags: Flags): Omit<LoadOptions, 'linesOf' | 'target'> {
  const { resume } = flags;
  const precision = textFlag(flags, 'precision') ?? '';
  return {
    files: command.args.length === 1 && command.args[0] === '-' ? [] : command.args,
    isLenient: flags['onError'] === 'skip',
    precision: isTimestampUnit(precision) ? precision : null,
    batchBytes: Number(flags['batchSize']),
    waitMs: Number(flags['wait']),
    resume: typeof resume === 'string' ? { path: resume } : resume === false ? null : 'automatic',
  };
}

function addExport(program: Command, client: ClientProgram, directories: Directories): void {
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
        '\nExit codes: 0 all written, 1 failed, 2 something was left out, 130 interrupted.',
    );
  addTimes(addLabelFlag(command));
  finish(command, client, async (context, flags, [directory]) => {
    const { exportDirectory, exportServer } = await import('./exporting/export.js');
    if (directory === undefined) return exportServer(context, flags);
    const opened = await directories.openForReading(directory, textFlag(flags, 'asOf') ?? null);
    return exportDirectory(context, opened, flags);
  });
}

function formatOption(description: string): Option {
  return new Option('--format <form>', `${description}; else ndjson`).choices(tableFormats);
}

function append(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

function readDelimiter(text: string): string {
  if (text === 'tab') return '\t';
  if (/^[!#-~\t ]$/.test(text)) return text;
  throw new InvalidArgumentError('It must be one character, or tab.');
}

function readUnit(text: string): string {
  if (isTimestampUnit(text)) return text;
  throw new InvalidArgumentError(`It must be ${timestampUnits.join(', ')}.`);
}

function readSize(text: string): number {
  const size = parseByteSize(text);
  if (size !== null && size > 0 && size <= 64 * 1024 * 1024) return size;
  throw new InvalidArgumentError('It must be a size up to 64MiB, like 4MiB.');
}

function readDuration(text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs !== null) return durationMs;
  throw new InvalidArgumentError('It must be a duration like 90s or 5m.');
}
