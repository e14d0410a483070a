/** The commands that talk to a running server: their flags and their help. */

import { Option, type Command } from 'commander';

import {
  addLabelFlag,
  addLimitFlag,
  addOpFlag,
  addSelectorFlags,
  addTimes,
} from './session/arguments.js';
import {
  addClientFlags,
  runClientCommand,
  textFlag,
  withUnit,
  type ClientCommand,
  type ClientContext,
  type Flags,
  type TimedContext,
} from './session/client-context.js';
import { queryFormats, runQueryCommand, type QueryFormat } from './querying/seriesql.js';

import type { Terminal } from './session/terminal.js';

// What a command is made of is loaded when it runs: a server needs none of it.
const annotating = () => import('./commands/annotate.js');
const comparing = () => import('./commands/compare.js');
const finding = () => import('./commands/find.js');
const ranging = () => import('./querying/range.js');
const reportingStatus = () => import('./commands/status.js');

/** Runs one command; its exit code goes to `ended`. */
export interface ClientProgram {
  readonly terminal: Terminal;
  readonly ended: (exitCode: number) => void;
}

/** Adds all of them to the program. */
export function addClientCommands(program: Command, client: ClientProgram): void {
  addQuery(program, client);
  addFind(program, client);
  addHealth(program, client);
  addCompare(program, client);
  addAnnotate(program, client);
  const status = program.command('status').description('how the server and its database do');
  finish(status, client, async (context) => (await reportingStatus()).showStatus(context));
}

type Arguments = readonly (string | undefined)[];
type Body = (context: ClientContext, flags: Flags, words: Arguments) => Promise<number>;

/** What is common to all: the flags of the connection, and the way a command ends. */
export function finish(command: Command, client: ClientProgram, body: Body): void {
  addClientFlags(command)
    .exitOverride()
    .action(async () => {
      const words = command.processedArgs as Arguments;
      const run: ClientCommand = (context, flags) => body(context, flags, words);
      client.ended(await runClientCommand(client.terminal, command.opts(), run));
    });
}

type TimedBody = (context: TimedContext, flags: Flags, words: Arguments) => Promise<number>;

/** The same for a command that reads or prints times. */
function finishTimed(command: Command, client: ClientProgram, body: TimedBody): void {
  finish(command, client, async (context, flags, words) =>
    body(await withUnit(context), flags, words),
  );
}

function addQuery(program: Command, client: ClientProgram): void {
  const query = program
    .command('query')
    .description('run a statement of SeriesQL; without one, read it from a pipe or a prompt')
    .argument('[statement]', 'for example: select last(value) from cpu.load')
    .addOption(
      new Option('--format <form>', 'how rows are printed').choices(queryFormats).default('table'),
    )
    .option('--as-of <state>', 'read that of a snapshot, a time or a commit (@NUMBER)')
    .enablePositionalOptions();
  finish(query, client, (context, flags, [statement]) => {
    const form = { format: formatOf(context, flags), asOf: textFlag(flags, 'asOf') };
    return runQueryCommand(context, statement, form);
  });
  const range = query.command('range').description('the samples of one series in a range of time');
  addTimes(addSelectorFlags(range)).hook('preAction', refuseFlagsBefore);
  finishTimed(range, client, async (context, flags, [metric]) =>
    (await ranging()).queryRange(context, metric, flags),
  );
}

/** What was written before a command is its parent's, and would be left out without a word. */
function refuseFlagsBefore(command: Command): void {
  const { parent } = command;
  for (const option of parent?.options ?? []) {
    if (parent?.getOptionValueSource(option.attributeName()) !== 'cli') continue;
    const flag = option.long ?? option.flags;
    const isKnown = command.options.some(({ long }) => long === option.long);
    const statement = `a statement has it: seriesdb query ${flag} … "select time, value from …"`;
    const instead = isKnown ? `write it behind ${command.name()}` : statement;
    command.error(
      `error: '${command.name()}' takes no '${flag}' of '${parent.name()}'; ${instead}`,
    );
  }
}

function formatOf(context: ClientContext, flags: Flags): QueryFormat {
  if (context.isJson) return 'json';
  return queryFormats.find((format) => format === flags['format']) ?? 'table';
}

function addFind(program: Command, client: ClientProgram): void {
  const find = program.command('find').description('what the database holds').exitOverride();
  const metrics = find.command('metrics').description('metrics and what is known about them');
  addLimitFlag(addLabelFlag(metrics.argument('[prefix]', 'how their names begin')));
  finishTimed(metrics, client, async (context, flags, [prefix]) =>
    (await finding()).findMetrics(context, prefix, flags),
  );

  const series = find.command('series').description('series of a metric');
  addLimitFlag(addOpFlag(addLabelFlag(series.argument('<metric>', 'their name'))));
  finishTimed(series, client, async (context, flags, [metric = '']) =>
    (await finding()).findSeries(context, metric, flags),
  );

  const labels = find.command('labels').description('keys of labels');
  labels.argument('[metric]', 'of this metric only');
  finish(labels, client, async (context, _flags, [metric]) =>
    (await finding()).findLabels(context, metric),
  );

  const values = find
    .command('values')
    .description('values of a label')
    .argument('<key>', 'key of the label')
    .option('--metric <name>', 'of this metric only')
    .option('--prefix <text>', 'how the values begin');
  finish(addLimitFlag(values), client, async (context, flags, [key = '']) =>
    (await finding()).findValues(context, key, flags),
  );

  const ids = find.command('ids').description('ids of series by their labels');
  finish(addOpFlag(addLabelFlag(ids)), client, async (context, flags) =>
    (await finding()).findIds(context, flags),
  );
}

function addHealth(program: Command, client: ClientProgram): void {
  const health = program
    .command('health')
    .description('which metrics still get samples, and what is not known about them')
    .argument('[prefix]', 'how their names begin')
    .option('--inactive-before <time>', 'a series without a sample since then is inactive');
  addLimitFlag(addLabelFlag(health));
  finishTimed(health, client, async (context, flags, [prefix]) =>
    (await finding()).showHealth(context, prefix, flags),
  );
}

function addCompare(program: Command, client: ClientProgram): void {
  const command = program
    .command('compare')
    .description('an aggregate of one series over two windows of time')
    .option('--aggregate <name>', 'last, avg, sum, min, max, count or delta', 'avg')
    .option('--offset <duration>', 'the baseline is the same window, so much earlier')
    .option('--baseline-start <time>', 'start of the baseline, without --offset')
    .option('--baseline-end <time>', 'end of the baseline, without --offset');
  addTimes(addSelectorFlags(command));
  finishTimed(command, client, async (context, flags, [metric]) =>
    (await comparing()).compare(context, metric, flags),
  );
}

function addAnnotate(program: Command, client: ClientProgram): void {
  const annotate = program.command('annotate').description('notes about times').exitOverride();
  const write = annotate
    .command('write')
    .description('store a note')
    .argument('<kind>', 'what sort of note, for example deploy')
    .argument('<title>', 'its title')
    .option('--message <text>', 'more about it')
    .option('--metric <name>', 'the metric it is about');
  addTimes(addLabelFlag(write), 'now', 'its start');
  finishTimed(write, client, async (context, flags, [kind = '', title = '']) =>
    (await annotating()).writeAnnotation(context, { kind, title }, flags),
  );

  const list = annotate
    .command('list')
    .description('notes that touch a range of time')
    .option('--kind <kind>', 'of this kind')
    .option('--metric <name>', 'about this metric');
  addTimes(addLimitFlag(addOpFlag(addLabelFlag(list))));
  finishTimed(list, client, async (context, flags) =>
    (await annotating()).listAnnotations(context, flags),
  );
}
