/** The command line. Parses and resolves; what `serve` does is handed in. */

import { Command, CommanderError } from 'commander';

import { settingsFromEnv } from '../config/from-env.js';
import { settingsFromFile } from '../config/from-file.js';
import { settingsFromFlags } from '../config/from-flags.js';
import { resolveSettings, type ResolvedSettings } from '../config/resolve.js';
import { AppError } from '../errors/app-error.js';

export interface ProgramOptions {
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Runs until the server has stopped; resolves with the exit code. */
  readonly serve: (resolved: ResolvedSettings) => Promise<number>;
  readonly writeError: (text: string) => void;
}

/** `argv` without node and script. Resolves with the exit code; never rejects. */
export async function runProgram(
  argv: readonly string[],
  options: ProgramOptions,
): Promise<number> {
  let exitCode = 0;
  const program = new Command('seriesdb')
    .description('A time-series database with an HTTP API')
    .version(options.version)
    .exitOverride();
  program
    .command('serve')
    .description('run the server')
    .option('--config <file>', 'settings file (TOML)')
    .option('--data-dir <dir>', 'directory that holds the database')
    .option('--listen <host:port>', 'address of the API')
    .option('--fsync <policy>', 'always, interval or none')
    .option('--timestamp-unit <unit>', 's, ms, us or ns')
    .option('--log-level <level>', 'debug, info, warn or error')
    .option('--transport <name>', 'auto, uws or node')
    .exitOverride()
    .action(async (flags: Readonly<Record<string, unknown>>) => {
      exitCode = await options.serve(resolveInputs(flags, options.environment));
    });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed its own message.
    if (error instanceof CommanderError) return error.exitCode;
    options.writeError(`seriesdb: ${describe(error)}\n`);
    return 1;
  }
}

function resolveInputs(
  flags: Readonly<Record<string, unknown>>,
  environment: ProgramOptions['environment'],
): ResolvedSettings {
  const path = flags['config'];
  return resolveSettings({
    ...(typeof path === 'string' ? { file: settingsFromFile(path) } : {}),
    environment: settingsFromEnv(environment),
    flags: settingsFromFlags(flags),
  });
}

function describe(error: unknown): string {
  if (error instanceof AppError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
