/** Runs every command except `serve`: handles interruption and failure. */

import { clientCodes, SeriesDbError } from '../../client/client.js';
import { AppError } from '../../common/errors/app-error.js';

import {
  CommandFailure,
  exitCodes,
  interruption,
  sentenceOf,
  type AskedListener,
} from './failure.js';

import { otherListener } from './other-listener.js';
import { otherSide } from './other-side.js';

import type { Terminal } from './terminal.js';

/** Resolves with the exit code; prints a failure as one sentence. */
export async function runCommand(
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
    const { message, exitCode } = await failureOf(error, { url: '', listener: 'public' });
    if (message !== '') terminal.complain(`seriesdb: ${message}\n`);
    return exitCode;
  } finally {
    await terminal.drained();
    stopListening();
  }
}

/** A command of the server's own user reaches the server by the socket in its directory. */
const kLockedAdvice =
  '; if that is a server, run this as its user or root, or name it by --url; else wait until it ends';

/** Converts an error into a sentence. Rejects with unexpected errors. */
export async function failureOf(error: unknown, asked: AskedListener): Promise<CommandFailure> {
  if (error instanceof CommandFailure) return error;
  if (error instanceof SeriesDbError) {
    const isUsage = error.code === clientCodes.argument;
    const other = (await otherSide(error, asked.url)) ?? (await otherListener(error, asked));
    const sentence = other ?? sentenceOf(error, asked.url, asked.listener);
    return new CommandFailure(sentence, exitCodes[isUsage ? 'usage' : 'failed']);
  }
  if (!(error instanceof AppError)) throw error;
  const advice = error.code === 'locked' ? kLockedAdvice : '';
  return new CommandFailure(`${error.message}${advice}`, exitCodes.failed);
}
