/** How every command runs that is not a server: its interruption, and the way it ends. */

import { SeriesDbError } from '../../client/client.js';
import { AppError } from '../../errors/app-error.js';

import { CommandFailure, exitCodes, interruption, sentenceOf } from './failure.js';

import type { Terminal } from './terminal.js';

/** Resolves with the exit code; what went wrong is printed as one sentence. */
export async function runCommand(
  terminal: Terminal,
  url: string,
  body: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const controller = new AbortController();
  const stopListening = terminal.onInterrupt((reason) => {
    controller.abort(interruption(reason));
  });
  try {
    return await body(controller.signal);
  } catch (error) {
    const { message, exitCode } = failureOf(error, url);
    if (message !== '') terminal.complain(`seriesdb: ${message}\n`);
    return exitCode;
  } finally {
    await terminal.drained();
    stopListening();
  }
}

function failureOf(error: unknown, url: string): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (error instanceof SeriesDbError) {
    return new CommandFailure(sentenceOf(error, url), exitCodes.failed);
  }
  if (!(error instanceof AppError)) throw error;
  const advice = error.code === 'locked' ? '; ask it by --url, or stop it' : '';
  return new CommandFailure(`${error.message}${advice}`, exitCodes.failed);
}
