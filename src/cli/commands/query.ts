/** `seriesdb query`: a statement of SeriesQL, or the samples of one series. */

import { Option, type Command } from 'commander';

import { queryFormats, type QueryForm, type QueryFormat } from '../querying/query-form.js';
import { addSelectorFlags, addTimes } from '../session/arguments.js';
import { finishClient, finishTimed } from '../session/client-command.js';
import { textFlag, type ClientContext, type Flags } from '../session/client-context.js';

import type { Session } from '../session/command.js';

export function addQuery(program: Command, session: Session): void {
  const query = program
    .command('query')
    .description('run a statement of SeriesQL; without one, read it from a pipe or a prompt')
    .argument('[statement]', 'for example: select last(value) from cpu.load')
    .addOption(
      new Option('--format <form>', 'how rows are printed').choices(queryFormats).default('table'),
    )
    .option('--as-of <state>', 'read that of a snapshot, a time or a commit (@NUMBER)')
    .enablePositionalOptions();
  finishClient(query, session, (context, flags, [statement]) => {
    const form = { format: formatOf(context, flags), asOf: textFlag(flags, 'asOf') };
    return ask(context, statement, form);
  });
  const range = query.command('range').description('the samples of one series in a range of time');
  addTimes(addSelectorFlags(range)).hook('preAction', refuseFlagsBefore);
  finishTimed(range, session, async (context, flags, [metric]) => {
    const { queryRange } = await import('../querying/range.js');
    return queryRange(context, metric, flags);
  });
}

/** Without a statement the standard input is read, which is a prompt at a terminal. */
async function ask(
  context: ClientContext,
  statement: string | undefined,
  form: QueryForm,
): Promise<number> {
  const output = context.terminal.screen();
  const input = context.terminal.standardInput();
  if (statement === undefined && output !== null && 'isTTY' in input && input.isTTY === true) {
    const { runPrompt } = await import('../prompt/run-prompt.js');
    return runPrompt(context, form, { input, output });
  }
  const { runQuery } = await import('../querying/run-query.js');
  return runQuery(context, statement, form);
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
