/** The shared flags of the loading commands, and the start of a load. */

import { InvalidArgumentError, Option, type Command } from 'commander';

import { parseByteSize } from '../../common/model/byte-size.js';
import { parseDurationMs } from '../../common/model/duration.js';
import { isTimestampUnit, timestampUnits } from '../../common/model/timestamp-unit.js';
import { textFlag, type ClientContext, type Flags } from '../session/client-context.js';

import { namingSocket } from '../session/own-client.js';

import type { Directories } from '../session/directories.js';
import type { LoadOptions } from './load.js';
import type { LoadTarget } from './target.js';

export const loadEnds =
  '\nRun the same command again to continue an interrupted load.' +
  '\nExit codes: 0 all stored, 1 failed, 2 wrong usage, 4 done, but something was skipped, ' +
  '130 interrupted.';

/** The flags that select the target. */
interface LoadPlaces {
  readonly flags: Flags;
  readonly directories: Directories;
}

/** Opens the target and always closes it. Resolves with the exit code. */
export async function load(
  context: ClientContext,
  { flags, directories }: LoadPlaces,
  options: (target: LoadTarget) => Omit<LoadOptions, 'target'>,
): Promise<number> {
  const { Load } = await import('./load.js');
  const { openTarget } = await import('./target.js');
  const target = await openTarget(context, flags, directories);
  try {
    const run = (): Promise<number> => new Load(context, { target, ...options(target) }).run();
    return await (target.isOwn ? namingSocket(run) : run());
  } finally {
    await target.close();
  }
}

/** The flags of every load. */
export function addLoadFlags(command: Command): Command {
  return command
    .argument('[files...]', 'files to load; - or none is the standard input')
    .option(
      '--into <dir>',
      'load into this data directory; a server of yours that has it open takes the samples',
    )
    .option('--config <file>', 'with --into: settings of the server')
    .addOption(
      new Option('--on-error <action>', 'effect of a refused line on the load')
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .option('--precision <unit>', "time unit of the lines (default: the database's)", readUnit)
    .addOption(
      new Option('--batch-size <size>', 'approximate size of one request')
        .argParser(readSize)
        .default(4 * 1024 * 1024, '4MiB'),
    )
    .addOption(
      new Option('--wait <duration>', 'longest wait for a busy or restarting server')
        .argParser(readDuration)
        .default(60_000, '60s'),
    )
    .option('--resume <file>', 'store the load state in this file instead of beside each input')
    .option('--no-resume', 'neither store nor use a load state');
}

export function loadOptionsOf(
  command: Command,
  flags: Flags,
): Omit<LoadOptions, 'linesOf' | 'target'> {
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
