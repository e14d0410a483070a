/** Finishes commands that talk to a running server. */

import type { Command } from 'commander';

import {
  addClientFlags,
  runClientCommand,
  withUnit,
  type ClientCommand,
  type ClientContext,
  type Flags,
  type TimedContext,
} from './client-context.js';

import type { Session } from './command.js';

type Arguments = readonly (string | undefined)[];
type ClientBody = (context: ClientContext, flags: Flags, words: Arguments) => Promise<number>;

/** Adds the flags of the connection, and runs the command. */
export function finishClient(command: Command, session: Session, body: ClientBody): void {
  addClientFlags(command)
    .exitOverride()
    .action(async () => {
      const words = command.processedArgs as Arguments;
      const run: ClientCommand = (context, flags) => body(context, flags, words);
      session.ended(await runClientCommand(session.terminal, command.opts(), run));
    });
}

type TimedBody = (context: TimedContext, flags: Flags, words: Arguments) => Promise<number>;

/** For commands that read or print times. */
export function finishTimed(command: Command, session: Session, body: TimedBody): void {
  finishClient(command, session, async (context, flags, words) =>
    body(await withUnit(context), flags, words),
  );
}
