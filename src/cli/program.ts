/** The command line: parses and dispatches commands; `serve` is injected. */

import { Command, CommanderError } from 'commander';

import { AppError } from '../common/errors/app-error.js';

import { commands } from './command-table.js';
import { exitCodes } from './session/failure.js';

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
  const program = new Command('seriesdb')
    .description('A time-series database with an HTTP API')
    .version(options.version)
    // Otherwise `query` would take the flags of `query range`.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: terminal.write,
      writeErr: terminal.writeError,
      outputError: (text, write) => {
        write(text + adviceOn(text, argv));
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
    return 1;
  }
}

/** Loads only the requested command, or all of them for help. */
function namesFor([first = '']: readonly string[]): readonly string[] {
  const all = Object.keys(commands);
  return all.includes(first) && first !== kTellsAll ? [first] : all;
}

/** The advice if an option of a command stands before the command; empty: none. */
function adviceOn(fault: string, [first = '']: readonly string[]): string {
  const isBefore = first.startsWith('-') && fault.includes('unknown option');
  if (!isBefore || fault.includes('Did you mean')) return '';
  return '(Options stand after the command: seriesdb COMMAND [options])\n';
}

/** The advice at the start of a server; commands that work on a directory have a different one. */
const kLockedAdvice = '; stop it, wait until it ends, or start this server with another --data-dir';

function describe(error: unknown): string {
  if (error instanceof AppError) {
    return error.code === 'locked' ? `${error.message}${kLockedAdvice}` : error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
