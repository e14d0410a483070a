/**
 * The commands that care for the files of a database: their flags and their help. What they are
 * made of is loaded when they run: a server needs none of it.
 */

import { addLimitFlag } from '../arguments.js';
import { textFlag } from '../client-context.js';
import { runCommand } from '../run-command.js';

import { inspectionParts, type CareContext } from './care-context.js';

import type { Command } from 'commander';

import type { Flags } from '../client-context.js';
import type { Terminal } from '../terminal.js';
import type { Directories } from './directories.js';

export interface CareProgram {
  readonly terminal: Terminal;
  readonly directories: Directories;
  readonly ended: (exitCode: number) => void;
}

/** Adds all of them to the program. */
export function addCareCommands(program: Command, care: CareProgram): void {
  addInspect(program, care);
  addVerify(program, care);
  addCompact(program, care);
  addMigrate(program, care);
}

type Words = readonly (string | undefined)[];
type Body = (context: CareContext, words: Words, flags: Flags) => Promise<number>;

function finish(command: Command, care: CareProgram, body: Body): void {
  command.exitOverride().action(async () => {
    const flags: Flags = command.opts();
    const { terminal, directories } = care;
    const isJson = flags['json'] === true;
    const words = command.processedArgs as Words;
    const code = await runCommand(terminal, textFlag(flags, 'url') ?? '', (signal) =>
      body({ terminal, directories, signal, isJson }, words, flags),
    );
    care.ended(code);
  });
}

function addInspect(program: Command, care: CareProgram): void {
  const command = program
    .command('inspect')
    .description('what the files of a database say that no server has open')
    .argument('<dir>', 'the data directory')
    .argument('[part]', inspectionParts.join(', '), 'manifest')
    .option('--number <number>', 'only this segment, or this file of the log')
    .option('--json', 'a JSON object a line, not a table')
    .addHelpText(
      'after',
      '\nNo byte of the directory is changed.' +
        '\nExit codes: 0 told, 1 failed, 3 a file that was to be told of is damaged, 130 interrupted.',
    );
  finish(addLimitFlag(command), care, async (context, words, flags) => {
    const { inspect } = await import('./inspect.js');
    return inspect(context, words, flags);
  });
}

function addVerify(program: Command, care: CareProgram): void {
  const command = program
    .command('verify')
    .description('read every file of a database completely, and say what is damaged')
    .option('--json', 'a JSON object a line, as each file is done')
    .addHelpText(
      'after',
      '\nNo byte of the directory is changed.' +
        '\nExit codes: 0 no damage, 1 failed, 3 damage was found, 130 interrupted.',
    );
  finish(addPlace(command), care, async (context, [directory], flags) => {
    const { verify } = await import('./verify.js');
    return verify(context, directory, flags);
  });
}

function addCompact(program: Command, care: CareProgram): void {
  const command = program
    .command('compact')
    .description('merge the segments of a database as far as they can be')
    .option('--config <file>', 'the settings of its server, whose retention holds here, too')
    .option('--json', 'print JSON, not a table')
    .addHelpText(
      'after',
      '\nWhat the log holds goes into segments first. An interruption keeps what was merged.' +
        '\nExit codes: 0 done, 1 failed, 130 interrupted.',
    );
  finish(addPlace(command), care, async (context, [directory], flags) => {
    const { perform } = await import('./task.js');
    return perform('compact', context, directory, flags);
  });
}

function addMigrate(program: Command, care: CareProgram): void {
  const command = program
    .command('migrate')
    .description('name by their hashes the segments that a program of before wrote')
    .option('--config <file>', 'the settings of its server, whose retention holds here, too')
    .option('--json', 'print JSON, not a table')
    .addHelpText(
      'after',
      '\nEach file is read once and gets another name. An interruption keeps what was done.' +
        '\nExit codes: 0 done, 1 failed, 3 a segment is damaged and was left, 130 interrupted.',
    );
  finish(addPlace(command), care, async (context, [directory], flags) => {
    const { perform } = await import('./task.js');
    return perform('migrate', context, directory, flags);
  });
}

/** A directory, or a server that has it. */
function addPlace(command: Command): Command {
  return command
    .argument('[dir]', 'the data directory, which no server has open')
    .option('--url <url>', 'the admin listener of a running server, instead of a directory')
    .option('--token-file <file>', 'file that holds its token (or SDB_ADMIN_TOKEN)');
}
