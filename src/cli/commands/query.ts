/** `seriesdb query`: runs a SeriesQL or PromQL query, or prints the samples of one series. */

import { Option, type Command } from 'commander';

import { timeForms } from '../../common/model/time-text.js';
import { isZone, noZone } from '../../common/model/zone.js';
import { queryFormats, type QueryFormat } from '../querying/query-form.js';
import { addSelectorFlags, addTimes } from '../session/arguments.js';
import { finishClient, finishTimed } from '../session/client-command.js';
import { textFlag, type ClientContext, type Flags } from '../session/client-context.js';
import { UsageFailure } from '../session/failure.js';
import { promptOf } from '../session/source.js';
import { addWatchFlag, watch, watchFlag } from '../session/watch.js';

import type { Session } from '../session/command.js';

export function addQuery(program: Command, session: Session): void {
  const query = program
    .command('query')
    .description('run a statement of SeriesQL; without one, read it from a pipe or a prompt')
    .argument('[statement]', 'for example: select last(value) from cpu.load')
    .addOption(
      new Option('--format <form>', 'how rows are printed; else table').choices(queryFormats),
    )
    .option(
      '-f, --file <file>',
      'run the statements of this file, each ended by a semicolon; - is standard input',
    )
    .option('--keep-going', 'continue after a statement that fails')
    .option('--as-of <state>', 'read this past state: a snapshot, a time or a commit (@NUMBER)')
    .option(
      '--tz <zone>',
      'time zone of times without one, and of those that a table shows, such as Europe/Berlin; else UTC',
    )
    .option('--promql', 'the statement or the file is a PromQL expression')
    .option('--time <time>', `with --promql: ${timeForms} (default: now)`)
    .option('--start <time>', 'with --promql: start of a range, in the same forms')
    .option('--end <time>', 'with --promql: end of the range (default: now)')
    .option('--step <duration>', 'with --promql: time between two steps of the range, such as 1m')
    .enablePositionalOptions();
  addWatchFlag(query);
  finishClient(query, session, (context, flags, [statement]) => ask(context, flags, statement));
  const range = query
    .command('range')
    .description('print the samples of one series in a time range');
  addTimes(addSelectorFlags(range)).hook('preAction', refuseFlagsBefore);
  finishTimed(range, session, async (context, flags, [metric]) => {
    const { queryRange } = await import('../querying/range.js');
    return queryRange(context, metric, flags);
  });
}

/** Without a statement reads standard input, or opens a prompt at a terminal. */
async function ask(
  context: ClientContext,
  flags: Flags,
  statement: string | undefined,
): Promise<number> {
  const { terminal } = context;
  const zone = zoneFlag(flags);
  const form = { format: formatOf(context, flags), asOf: textFlag(flags, 'asOf'), zone };
  const source = { statement, file: textFlag(flags, 'file') };
  if (flags['promql'] === true) {
    if (zone !== undefined) throw new UsageFailure('--tz is for SeriesQL');
    const { askPromql } = await import('../querying/promql.js');
    return askPromql(context, source, { flags, format: form.format });
  }
  refuseFlagsOfPromql(flags);
  const pauseMs = watchFlag(flags);
  const prompt = promptOf(terminal, source);
  if (prompt !== null) {
    if (pauseMs !== null) throw new UsageFailure('--watch needs a statement, or a --file');
    const { runPrompt } = await import('../prompt/run-prompt.js');
    return runPrompt(context, form, prompt);
  }
  const { runScript, scriptOf } = await import('../querying/script.js');
  const script = await scriptOf(terminal, source);
  const isKeptGoing = flags['keepGoing'] === true;
  return watch(context, pauseMs, (round) => runScript(round, script, { form, isKeptGoing }));
}

function zoneFlag(flags: Flags): string | undefined {
  const zone = textFlag(flags, 'tz');
  if (zone === undefined || isZone(zone)) return zone;
  throw new UsageFailure(`--tz: ${noZone(zone)}`);
}

function refuseFlagsOfPromql(flags: Flags): void {
  const found = ['time', 'start', 'end', 'step'].find((name) => flags[name] !== undefined);
  if (found === undefined) return;
  throw new UsageFailure(`--${found} is for --promql; a statement has its times in WHERE`);
}

/** Flags before a subcommand belong to its parent and would be ignored silently. */
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
  const wanted = flags['format'] ?? flags['profileFormat'] ?? 'table';
  const format = queryFormats.find((one) => one === wanted);
  if (format !== undefined) return format;
  // The flag was validated already, the profile was not.
  throw new UsageFailure(`the format of the profile must be one of ${queryFormats.join(', ')}`);
}
