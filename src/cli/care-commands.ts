/**
 * The commands that care for the files of a database: their flags and their help. What they are
 * made of is loaded when they run: a server needs none of it.
 */

import { inspectedParts } from '../operations/inspection.js';
import { addLabelFlag, addLimitFlag, addTimes } from './session/arguments.js';
import { textFlag } from './session/client-context.js';
import { runCommand } from './session/run-command.js';

import type { Command } from 'commander';

import type { LongTask } from '../operations/maintenance.js';
import type { CareContext } from './care/care-context.js';
import type { Flags } from './session/client-context.js';
import type { Terminal } from './session/terminal.js';
import type { Directories } from './session/directories.js';

interface CareProgram {
  readonly terminal: Terminal;
  readonly directories: Directories;
  readonly ended: (exitCode: number) => void;
}

/** Adds all of them to the program. */
export function addCareCommands(program: Command, care: CareProgram): void {
  addInspect(program, care);
  addVerify(program, care);
  addLongTask(program, care, 'compact');
  addLongTask(program, care, 'migrate');
  addCollection(program, care);
  addSnapshot(program, care);
  addBackup(program, care);
  addRestore(program, care);
  addUndelete(program, care);
  addRepair(program, care);
}

type Words = readonly (string | undefined)[];
type Body = (context: CareContext, words: Words) => Promise<number>;

function finish(command: Command, care: CareProgram, body: Body): void {
  command.exitOverride().action(async () => {
    const flags: Flags = command.opts();
    const { terminal, directories } = care;
    const isJson = flags['json'] === true;
    const words = command.processedArgs as Words;
    const code = await runCommand(terminal, textFlag(flags, 'url') ?? '', (signal) =>
      body({ terminal, directories, signal, flags, isJson }, words),
    );
    care.ended(code);
  });
}

function addInspect(program: Command, care: CareProgram): void {
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
        '\nExit codes: 0 told, 1 failed, 3 a file that was to be told of is damaged, 130 interrupted.',
    );
  finish(addLimitFlag(addServer(command)), care, async (context, words) => {
    const { inspect } = await import('./care/inspect.js');
    return inspect(context, words);
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
  finish(addPlace(command), care, async (context, [directory]) => {
    const { verify } = await import('./care/verify.js');
    return verify(context, directory);
  });
}

interface TaskHelp {
  readonly description: string;
  readonly more: string;
}

const taskHelp: Readonly<Record<LongTask, TaskHelp>> = {
  compact: {
    description: 'merge the segments of a database as far as they can be',
    more:
      '\nWhat the log holds goes into segments first. An interruption, also of the command that asks' +
      '\na server, ends it and keeps what was merged.' +
      '\nExit codes: 0 done, 1 failed, 130 interrupted.',
  },
  migrate: {
    description: 'name by their hashes the segments that a program of before wrote',
    more:
      '\nWhat the log holds goes into segments first. Each file is read once and gets another name.' +
      '\nAn interruption, also of the command that asks a server, ends it and keeps what was done.' +
      '\nExit codes: 0 done, 1 failed, 3 a segment is damaged and was left, 130 interrupted.',
  },
};

function addLongTask(program: Command, care: CareProgram, task: LongTask): void {
  const { description, more } = taskHelp[task];
  const command = program.command(task).description(description).addHelpText('after', more);
  finish(addConfig(addPlace(command)), care, async (context, [directory]) => {
    const { performLong } = await import('./care/long-task.js');
    return performLong(task, context, directory);
  });
}

function addCollection(program: Command, care: CareProgram): void {
  const command = program
    .command('gc')
    .description('remove what neither the last state, snapshots, history nor a reader needs')
    .option('--history', 'history as well, all of it: only snapshots and the last state stay')
    .option('--dry-run', 'only say what would go; no byte of a directory is changed')
    .addHelpText(
      'after',
      '\nkept are files that nothing names and that have to stay for now: somebody reads them, a' +
        '\nbackup is made, or a file is damaged and they may have the same samples.' +
        '\nExit codes: 0 done, 1 failed, 130 interrupted.',
    );
  finish(addConfig(addPlace(command)), care, async (context, [directory]) => {
    const { collectGarbage } = await import('./care/collect.js');
    return collectGarbage(context, directory);
  });
}

function addSnapshot(program: Command, care: CareProgram): void {
  const group = program
    .command('snapshot')
    .description('names for states of a database, which keep them as they are')
    .exitOverride();
  const create = group
    .command('create')
    .description('keep all that is stored now under a name')
    .argument('<name>', 'letters, digits, "_", "-" and "."')
    .addHelpText(
      'after',
      '\nIt copies nothing. What it names stays on the disk until it is deleted.' +
        '\nExit codes: 0 done, 1 failed, 130 interrupted.',
    );
  finish(addConfig(addPlace(create)), care, async (context, [name, directory]) => {
    const { perform } = await import('./care/task.js');
    return perform({ task: 'snapshot/create', name }, context, directory);
  });
  const remove = group
    .command('delete')
    .description('forget a name, and free what only it keeps')
    .argument('<name>', 'the name of a snapshot')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 130 interrupted.');
  finish(addConfig(addPlace(remove)), care, async (context, [name, directory]) => {
    const { perform } = await import('./care/task.js');
    return perform({ task: 'snapshot/delete', name }, context, directory);
  });
  const list = group
    .command('list')
    .description('the names that there are, and what each of them keeps')
    .addHelpText(
      'after',
      '\nown_bytes are those that go when it is deleted. No byte of the directory is changed.' +
        '\nExit codes: 0 told, 1 failed, 130 interrupted.',
    );
  const withForm = addPlace(list).option('--json', 'a JSON object a line, not a table');
  finish(withForm, care, async (context, [directory]) => {
    const { listSnapshots } = await import('./care/snapshots.js');
    return listSnapshots(context, directory);
  });
}

function addBackup(program: Command, care: CareProgram): void {
  const command = program
    .command('backup')
    .description('copy a database, its snapshots among it, to a directory of its own')
    .argument('<target>', 'an empty directory, or the last backup, which gets what is new')
    .addHelpText(
      'after',
      '\nA server may have the database open: name it by --url; the target is on its machine then.' +
        '\nUntil it has ended the backup of before is whole, and one that is cut short goes on.' +
        '\nExit codes: 0 done, 1 failed, 3 a file is damaged, 130 interrupted.',
    );
  finish(addConfig(addPlace(command)), care, async (context, [target, directory]) => {
    const { backup } = await import('./care/backup.js');
    return backup(context, { target: target ?? '', directory });
  });
}

function addRestore(program: Command, care: CareProgram): void {
  const command = program
    .command('restore')
    .description('make a database of a backup')
    .argument('<backup>', 'the backup, which stays as it is')
    .argument('<dir>', 'the data directory to make, which is empty')
    .option('--snapshot <name>', 'the state of this snapshot, not the last one')
    .option('--json', 'a JSON object a line, as each file is done')
    .addHelpText(
      'after',
      '\nEach file is hashed as it is copied. One that is cut short goes on when it is done again.' +
        '\nExit codes: 0 done, 1 failed, 3 a file is damaged, 130 interrupted.',
    );
  finish(command, care, async (context, [source, target]) => {
    const { restore } = await import('./care/backup.js');
    return restore(context, { source: source ?? '', target: target ?? '' });
  });
}

function addUndelete(program: Command, care: CareProgram): void {
  const command = program
    .command('undelete')
    .description('bring back samples that the database had, and has no more')
    .requiredOption('--as-of <state>', 'a snapshot, or a time or @commit of history, that has them')
    .option('--metric <name>', 'only series of this metric')
    .option('--prefix <text>', 'or only metrics whose names begin so')
    .option('--dry-run', 'only count what would come back')
    .addHelpText(
      'after',
      '\nWhat the database has at a time stays as it is, so that it can be done again and again.' +
        '\nWithout any choice of series or times all comes back that the state has.' +
        '\nExit codes: 0 done, 1 failed, 130 interrupted; what was brought back by then stays.',
    );
  addTimes(addLabelFlag(command));
  finish(addConfig(addPlace(command)), care, async (context, [directory]) => {
    const { undelete } = await import('./care/undelete.js');
    return undelete(context, directory);
  });
}

function addRepair(program: Command, care: CareProgram): void {
  const command = program
    .command('repair')
    .description('make a damaged database whole again, as far as its files allow')
    .option('--accept-loss', 'let go what cannot be read any more')
    .option('--dry-run', 'change nothing, and say what would be done')
    .option('--timestamp-unit <unit>', 's, ms, us or ns, where ROOT is lost')
    .option('--json', 'a JSON object a line, as each file is done')
    .addHelpText(
      'after',
      '\nWhat is taken out of use goes to quarantine/ in the data directory; nothing is deleted.' +
        '\nA running server, named by --url, repairs its segments only, and goes on meanwhile.' +
        '\nExit codes: 0 whole, or made whole, 1 failed, 3 something is left: it takes --accept-loss,' +
        '\nor snapshots hold it, which are named; 130 interrupted.',
    );
  finish(addPlace(command), care, async (context, [directory]) => {
    const { repair } = await import('./care/repair.js');
    return repair(context, directory);
  });
}

/** What a command needs that opens a database as its server would. */
function addConfig(command: Command): Command {
  return command
    .option('--config <file>', 'the settings of its server, whose retention holds here, too')
    .option('--json', 'JSON, a line for each step, not a table');
}

/** A directory, or a server that has it. */
function addPlace(command: Command): Command {
  return addServer(command.argument('[dir]', 'the data directory, which no server has open'));
}

function addServer(command: Command): Command {
  return command
    .option('--url <url>', 'the admin listener of a running server, instead of a directory')
    .option('--token-file <file>', 'file that holds its token (or SDB_ADMIN_TOKEN)');
}
