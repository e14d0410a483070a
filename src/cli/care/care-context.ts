/** How a command runs that cares for a database: its way out, and where the database is. */

import { readFileSync } from 'node:fs';

import { Connection } from '../../client/connection.js';
import { SeriesDbError } from '../../client/client.js';
import { AppError } from '../../errors/app-error.js';

import { textFlag, type Flags } from '../client-context.js';
import { CommandFailure, exitCodes, interruption, sentenceOf } from '../failure.js';

import type { Terminal } from '../terminal.js';
import type { Directories } from './directories.js';

export interface CareContext {
  readonly terminal: Terminal;
  readonly directories: Directories;
  readonly signal: AbortSignal;
  readonly isJson: boolean;
}

/** What `inspect` tells of. */
export const inspectionParts = ['manifest', 'segments', 'chunks', 'wal'] as const;

const tokenVariable = 'SDB_ADMIN_TOKEN';

/** Resolves with the exit code; what went wrong is printed as one sentence. */
export async function runCare(
  terminal: Terminal,
  body: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const controller = new AbortController();
  const stopListening = terminal.onInterrupt((reason) => {
    controller.abort(interruption(reason));
  });
  try {
    return await body(controller.signal);
  } catch (error) {
    const [message, code] = endOf(error);
    if (message !== '') terminal.writeError(`seriesdb: ${message}\n`);
    return code;
  } finally {
    await terminal.drained();
    stopListening();
  }
}

function endOf(error: unknown): readonly [string, number] {
  if (error instanceof CommandFailure) return [error.message, error.exitCode];
  if (error instanceof SeriesDbError) return [sentenceOf(error, 'the address'), exitCodes.failed];
  if (!(error instanceof AppError)) throw error;
  const advice = error.code === 'locked' ? '; ask it by --url, or stop it' : '';
  return [`${error.message}${advice}`, exitCodes.failed];
}

/** The admin listener that --url names. */
export function adminConnection(terminal: Terminal, url: string, flags: Flags): Connection {
  const file = textFlag(flags, 'tokenFile');
  let token = terminal.environment[tokenVariable];
  if (file !== undefined) {
    try {
      token = readFileSync(file, 'utf8').trim();
    } catch (error) {
      throw new CommandFailure(`--token-file: ${error instanceof Error ? error.message : ''}`);
    }
  }
  return new Connection({ url, ...(token === undefined ? {} : { token }) });
}
