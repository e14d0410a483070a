/** Failures of commands: a sentence for people, and an exit code. */

import { clientCodes, type SeriesDbError } from '../../client/client.js';

/** The exit codes of all commands; `serve` has the first three. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  /** Contradictory or invalid arguments; nothing was done. */
  usage: 2,
  /** Damage was found in the files of a database. */
  damaged: 3,
  /** A load or an export completed, but skipped something. */
  skipped: 4,
  interrupted: 130,
} as const;

export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}

/** Invalid arguments. */
export class UsageFailure extends CommandFailure {
  constructor(message: string) {
    super(message, exitCodes.usage);
    this.name = 'UsageFailure';
  }
}

/** Ctrl-C, a closed output, or a failed write. */
export type Interruption = 'signal' | 'closed' | Error;

/** The exit code of an interruption. `| head` closes the output early, which is no failure. */
export function interruption(reason: Interruption): CommandFailure {
  if (reason === 'closed') return new CommandFailure('', exitCodes.ok);
  if (reason === 'signal') return new CommandFailure('interrupted', exitCodes.interrupted);
  return new CommandFailure(`the output cannot be written: ${reason.message}`);
}

/** Both listeners of a server, and their token variables. */
const tokenVariables = { public: 'SDB_TOKEN', admin: 'SDB_ADMIN_TOKEN' } as const;

/** The server of a command. */
export interface AskedListener {
  readonly url: string;
  readonly listener: keyof typeof tokenVariables;
  /** With the command's TLS trust. */
  readonly fetch?: typeof fetch;
}

/** One sentence: what happened and, if possible, what to do. */
export function sentenceOf(
  error: SeriesDbError,
  url: string,
  listener: AskedListener['listener'] = 'public',
): string {
  const { code, message } = error;
  if (code === clientCodes.network) {
    const reason = message.replace(/^no answer from the server: /, '');
    return `no server answers at ${url} (${reason}); start one with: seriesdb serve`;
  }
  if (code === clientCodes.answer) return `${url}: ${message}`;
  if (code === 'unauthorized') {
    return `${message}; give it with --token-file or in ${tokenVariables[listener]}`;
  }
  if (code === 'not_found' && error.status === 404) {
    return `the server at ${url} does not know this request; is it an older version?`;
  }
  return code === clientCodes.argument ? message : `${message} (${code})`;
}
