/** What every client command is given: the client, its flags, and the way out. */

import { InvalidArgumentError, type Command } from 'commander';
import { LosslessNumber, stringify } from 'lossless-json';

import {
  SeriesDbClient,
  SeriesDbError,
  type ConnectionOptions,
  type RetryEvent,
} from '../client/client.js';
import { isTimestampUnit, timestampUnits, type TimestampUnit } from '../model/timestamp-unit.js';

import { CommandFailure, exitCodes, sentenceOf } from './failure.js';

import type { Terminal } from './terminal.js';

export interface ClientContext {
  readonly url: string;
  readonly client: SeriesDbClient;
  /** A client with other patience, for loads. */
  readonly connect: (options: Partial<ConnectionOptions>) => SeriesDbClient;
  readonly unit: TimestampUnit;
  readonly isJson: boolean;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
}

export type Flags = Readonly<Record<string, unknown>>;

/** Resolves with the exit code. */
export type ClientCommand = (context: ClientContext, flags: Flags) => Promise<number>;

const urlVariable = 'SDB_URL';
const tokenVariable = 'SDB_TOKEN';
const defaultUrl = 'http://127.0.0.1:8080';

export function addClientFlags(command: Command): Command {
  return command
    .option('--url <url>', `address of the server (or ${urlVariable}; else ${defaultUrl})`)
    .option('--token <token>', `bearer token (or ${tokenVariable})`)
    .option('--json', 'print JSON as the API gives it, not a table');
}

export function addUnitFlag(command: Command): Command {
  const purpose = `unit of the database's timestamps: ${timestampUnits.join(', ')}`;
  return command.option('--unit <unit>', purpose, readUnit, 'ms');
}

function readUnit(text: string): TimestampUnit {
  if (isTimestampUnit(text)) return text;
  throw new InvalidArgumentError(`It must be ${timestampUnits.join(', ')}.`);
}

/** Runs a command; prints what went wrong as one sentence. Resolves with the exit code. */
export async function runClientCommand(
  terminal: Terminal,
  flags: Flags,
  command: ClientCommand,
): Promise<number> {
  const url = textFlag(flags, 'url') ?? terminal.environment[urlVariable] ?? defaultUrl;
  const token = textFlag(flags, 'token') ?? terminal.environment[tokenVariable];
  const controller = new AbortController();
  const stopListening = terminal.onInterrupt((reason) => {
    // `| head` has seen enough; that is no failure.
    const isClosed = reason === 'closed';
    const [message, code] = isClosed ? ['', exitCodes.ok] : ['interrupted', exitCodes.interrupted];
    controller.abort(new CommandFailure(message, code));
  });
  try {
    const connect = (options: Partial<ConnectionOptions>): SeriesDbClient =>
      new SeriesDbClient({ url, ...(token === undefined ? {} : { token }), ...options });
    // Somebody who waits at a terminal is told what for.
    const onRetry = ({ attempt, error }: RetryEvent): void => {
      if (attempt > 1) return;
      terminal.screen()?.write(`seriesdb: ${sentenceOf(error, url)}; trying again …\n`);
    };
    const unit = textFlag(flags, 'unit') ?? 'ms';
    return await command(
      {
        ...{ url, client: connect({ onRetry }), connect, terminal, signal: controller.signal },
        ...{ unit: isTimestampUnit(unit) ? unit : 'ms', isJson: flags['json'] === true },
      },
      flags,
    );
  } catch (error) {
    if (error instanceof SeriesDbError) {
      terminal.writeError(`seriesdb: ${sentenceOf(error, url)}\n`);
      return exitCodes.failed;
    }
    if (!(error instanceof CommandFailure)) throw error;
    if (error.message !== '') terminal.writeError(`seriesdb: ${error.message}\n`);
    return error.exitCode;
  } finally {
    await terminal.drained();
    stopListening();
  }
}

export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** One line of JSON in which no digit and no sign is lost. */
export function printJson(value: unknown): string {
  const text = stringify(value, (_, one: unknown) =>
    Object.is(one, -0) ? new LosslessNumber('-0') : one,
  );
  return `${text ?? 'null'}\n`;
}
