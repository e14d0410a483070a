/** How a command ends when it does not succeed: a sentence for people, and an exit code. */

import { clientCodes, type SeriesDbError } from '../../client/client.js';

/** The exit codes of all commands but `serve`. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  /** The words of the command line cannot be right together; nothing was done. */
  usage: 2,
  /** Damage was found in the files of a database. */
  damaged: 3,
  /** A load or an export came to its end, but left something out. */
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

/** What the words of a command line cannot mean. */
export class UsageFailure extends CommandFailure {
  constructor(message: string) {
    super(message, exitCodes.usage);
    this.name = 'UsageFailure';
  }
}

/** Ctrl-C, nobody who reads the output any more, or why it cannot be written. */
export type Interruption = 'signal' | 'closed' | Error;

/** How a command ends then. `| head` has seen enough; that is no failure. */
export function interruption(reason: Interruption): CommandFailure {
  if (reason === 'closed') return new CommandFailure('', exitCodes.ok);
  if (reason === 'signal') return new CommandFailure('interrupted', exitCodes.interrupted);
  return new CommandFailure(`the output cannot be written: ${reason.message}`);
}

/** The two listeners of a server, and where a token for each is looked for. */
const tokenVariables = { public: 'SDB_TOKEN', admin: 'SDB_ADMIN_TOKEN' } as const;

/** Whom a command asks. */
export interface Asked {
  readonly url: string;
  readonly listener: keyof typeof tokenVariables;
  /** With the trust that the command has. */
  readonly fetch?: typeof fetch;
}

/** One sentence that says what happened and, where something helps, what to do. */
export function sentenceOf(
  error: SeriesDbError,
  url: string,
  listener: Asked['listener'] = 'public',
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
