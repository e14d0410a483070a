/** The command line. Parses and resolves; what `serve` does is handed in. */

import { Command, CommanderError } from 'commander';

import { printSettings } from '../config/show.js';
import { AppError } from '../errors/app-error.js';

import { addCareCommands } from './care-commands.js';
import { addClientCommands } from './client-commands.js';
import { addSettingFlags, resolveInputs } from './session/setting-flags.js';
import { addTransferCommands } from './transfer-commands.js';

import type { SettingsSource } from '../config/live-settings.js';
import type { ResolvedSettings } from '../config/resolve.js';
import type { Settings } from '../config/settings.js';
import type { Directories } from './session/directories.js';
import type { Terminal } from './session/terminal.js';

interface ProgramOptions {
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Runs until the server has stopped; resolves with the exit code. */
  readonly serve: (source: SettingsSource) => Promise<number>;
  /** Where all commands write, and what those see that talk to a running server. */
  readonly terminal: Terminal;
  /** Looks at what settings name outside of them, such as files. Throws. */
  readonly verify: (settings: Settings) => void;
  readonly directories: Directories;
}

type Flags = Readonly<Record<string, unknown>>;

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
    // Or `query` would take the flags of `query range`.
    .enablePositionalOptions()
    .configureOutput({ writeOut: terminal.write, writeErr: terminal.writeError })
    .exitOverride();
  addSettingFlags(program.command('serve').description('run the server'))
    .exitOverride()
    .action(async (flags: Flags) => {
      const resolveAgain = (): ResolvedSettings => resolveInputs(flags, options.environment);
      exitCode = await options.serve({ resolved: resolveAgain(), resolveAgain });
    });
  const config = program.command('config').description('look at the settings').exitOverride();
  addSettingFlags(config.command('check').description('check the settings and print them all'))
    .exitOverride()
    .action((flags: Flags) => {
      const resolved = resolveInputs(flags, options.environment);
      options.verify(resolved.settings);
      terminal.write(printSettings(resolved));
    });
  const ended = (code: number): void => {
    exitCode = code;
  };
  const { directories } = options;
  addClientCommands(program, { terminal, ended });
  addTransferCommands(program, { terminal, ended }, directories);
  addCareCommands(program, { terminal, directories, ended });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed its own message.
    if (error instanceof CommanderError) return error.exitCode;
    terminal.writeError(`seriesdb: ${describe(error)}\n`);
    return 1;
  }
}

function describe(error: unknown): string {
  if (error instanceof AppError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
