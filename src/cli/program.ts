/** The command line: parses and dispatches commands; `serve` is injected. */

import { Command, CommanderError } from 'commander';

import { AppError } from '../common/errors/app-error.js';

import { commands } from './command-table.js';
import { exitCodes } from './session/failure.js';
import { usualCommand, usualOption } from './usual-options.js';

import type { Session } from './session/command.js';

/** The command that prints completion scripts. */
const kTellsAll = 'completion';

interface ProgramOptions extends Omit<Session, 'ended'> {
  readonly version: string;
}

/** `argv` without node and script. Resolves with the exit code; never rejects. */
export async function runProgram(
  argv: readonly string[],
  options: ProgramOptions,
): Promise<number> {
  const { terminal } = options;
  let exitCode = 0;
  const program: Command = new Command('seriesdb')
    .description('A time-series database with an HTTP API')
    .version(options.version)
    // Otherwise `query` would take the flags of `query range`.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: terminal.write,
      writeErr: terminal.writeError,
      outputError: (text, write) => {
        write(advised(text, { program, argv }));
      },
    })
    .exitOverride();
  const ended = (code: number): void => {
    exitCode = code;
  };
  try {
    for (const name of namesFor(argv)) (await commands[name]?.())?.(program, { ...options, ended });
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed its own message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
    terminal.complain(`seriesdb: ${describe(error)}\n`);
    // The same start would fail again.
    const isWrong = error instanceof AppError && error.code === 'invalid_configuration';
    return isWrong ? exitCodes.usage : exitCodes.failed;
  }
}

/** Loads only the requested command, or all of them for help. */
function namesFor([first = '']: readonly string[]): readonly string[] {
  const all = Object.keys(commands);
  return all.includes(first) && first !== kTellsAll ? [first] : all;
}

interface Called {
  readonly program: Command;
  readonly argv: readonly string[];
}

/** The message of the parser with advice, if the usual cause of the mistake is known. */
function advised(text: string, { program, argv }: Called): string {
  const [first = ''] = argv;
  const command = calledIn(program, argv);
  const unknown = /^error: unknown option '([^']*)'/.exec(text)?.[1];
  if (unknown !== undefined) {
    const [name = '', given] = unknown.split('=', 2);
    const usual = usualOption(command, name, given ?? argv[argv.indexOf(unknown) + 1]);
    if (usual !== null) return `error: unknown option '${unknown}'\n(${usual})\n`;
    const isBefore = first.startsWith('-') && !text.includes('Did you mean');
    return isBefore
      ? `${text}(Options stand after the command: seriesdb COMMAND [options])\n`
      : text;
  }
  const word = /^error: unknown command '([^']*)'/.exec(text)?.[1] ?? '';
  const advice = command === program ? usualCommand(word) : null;
  if (advice !== null) return `${text.split('\n')[0] ?? ''}\n(${advice})\n`;
  const isDirectory = text.includes('too many arguments') && command.name() === 'serve';
  return isDirectory ? `${text}(A data directory needs its option: --data-dir DIR)\n` : text;
}

/** The innermost command that the words name. */
function calledIn(program: Command, argv: readonly string[]): Command {
  let found = program;
  for (const word of argv) {
    const next = found.commands.find((one) => one.name() === word);
    if (next === undefined) return found;
    found = next;
  }
  return found;
}

/** The advice at the start of a server; commands that work on a directory have a different one. */
const kLockedAdvice = '; stop it, wait until it ends, or start this server with another --data-dir';

function describe(error: unknown): string {
  if (error instanceof AppError) {
    return error.code === 'locked' ? `${error.message}${kLockedAdvice}` : error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
