/** The context of every client command: client, flags, terminal and signal. */

import { readFileSync } from 'node:fs';

import { Option, type Command } from 'commander';
import { LosslessNumber, stringify } from 'lossless-json';

import { SeriesDbClient, type ConnectionOptions, type RetryEvent } from '../../client/client.js';
import { isTimestampUnit, type TimestampUnit } from '../../common/model/timestamp-unit.js';

import { CommandFailure, sentenceOf, UsageFailure } from './failure.js';
import { readReasonOf } from './file-reason.js';
import { withProfile } from './profile.js';
import { failureOf, runCommand } from './run-command.js';
import { addTrustFlags, serverUrl, trustOf } from './server-address.js';

import type { Terminal } from './terminal.js';

export interface ClientContext {
  readonly url: string;
  readonly client: SeriesDbClient;
  /** Creates a client with other options, for loads. */
  readonly connect: (options: Partial<ConnectionOptions>) => SeriesDbClient;
  readonly isJson: boolean;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
}

/** The context of a command that reads or prints times. */
export interface TimedContext extends ClientContext {
  /** The unit of the database's timestamps, from the server. */
  readonly unit: TimestampUnit;
}

/** Adds the unit of the server's timestamps. */
export async function withUnit(context: ClientContext): Promise<TimedContext> {
  const { timestamp_unit: unit } = await context.client.status({ signal: context.signal });
  if (isTimestampUnit(unit)) return { ...context, unit };
  throw new CommandFailure(
    `the server at ${context.url} does not say its timestamp_unit; is it an older version?`,
  );
}

export type Flags = Readonly<Record<string, unknown>>;

/** Resolves with the exit code. */
export type ClientCommand = (context: ClientContext, flags: Flags) => Promise<number>;

export const urlVariable = 'SDB_URL';
const tokenVariable = 'SDB_TOKEN';
const defaultUrl = 'http://127.0.0.1:8080';

export function addClientFlags(command: Command): Command {
  return addTrustFlags(command)
    .option('--url <url>', `address of the server (or ${urlVariable}; else ${defaultUrl})`)
    .option('--profile <name>', 'use this profile in client.toml')
    .option('--token-file <file>', `file with the bearer token (or ${tokenVariable})`)
    .addOption(new Option('--token <token>').hideHelp())
    .option('--json', 'print the JSON of the API instead of a table');
}

/** The token of --token-file, or of the variable; undefined if neither was given. */
export function readToken(
  flags: Flags,
  environment: Terminal['environment'],
  variable: string,
): string | undefined {
  if (flags['token'] !== undefined) {
    const instead = `put it into a file for --token-file, or into ${variable}`;
    throw new UsageFailure(`a --token would show in the list of processes; ${instead}`);
  }
  const file = textFlag(flags, 'tokenFile');
  if (file === undefined) return environment[variable];
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CommandFailure(`--token-file: cannot read ${file}: ${readReasonOf(error)}`);
  }
  if (/^[!-~]+$/.test(token)) return token;
  throw new CommandFailure(`--token-file: ${file} must hold one line, the token`);
}

/** Runs a command, and prints a failure as one sentence. Resolves with the exit code. */
export async function runClientCommand(
  terminal: Terminal,
  flags: Flags,
  command: ClientCommand,
): Promise<number> {
  return runCommand(terminal, async (signal) => {
    const given = withProfile(flags, terminal.environment);
    const url = serverUrl(
      textFlag(given, 'url') ?? terminal.environment[urlVariable] ?? defaultUrl,
    );
    try {
      return await command(contextOf({ terminal, signal, given, url }), given);
    } catch (error) {
      throw await failureOf(error, { url, listener: 'public', ...trustOf(given) });
    }
  });
}

interface Connecting {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** The flags of the command line and of the profile. */
  readonly given: Flags;
  readonly url: string;
}

function contextOf({ terminal, signal, given, url }: Connecting): ClientContext {
  const token = readToken(given, terminal.environment, tokenVariable);
  const trust = trustOf(given);
  const connect = (options: Partial<ConnectionOptions>): SeriesDbClient =>
    new SeriesDbClient({ url, ...trust, ...(token === undefined ? {} : { token }), ...options });
  // At a terminal, the first retry is reported, so that the wait is explained.
  const onRetry = ({ attempt, error }: RetryEvent): void => {
    if (attempt > 1) return;
    terminal.note(`seriesdb: ${sentenceOf(error, url)}; trying again …\n`);
  };
  const isJson = given['json'] === true;
  return { url, client: connect({ onRetry }), connect, terminal, signal, isJson };
}

export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** One line of JSON; integers keep all digits, and -0 its sign. */
export function printJson(value: unknown): string {
  const text = stringify(value, (_, one: unknown) =>
    Object.is(one, -0) ? new LosslessNumber('-0') : one,
  );
  return `${text ?? 'null'}\n`;
}
