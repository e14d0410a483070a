/** How a command ends that cares for a database, and the flags that say where it is. */

import type { Command } from 'commander';

import { textFlag, type Flags } from './client-context.js';
import { runCommand } from './run-command.js';
import { addTrustFlags, serverUrl } from './server-address.js';

import type { CareContext } from './care-context.js';
import type { Session } from './command.js';

type Words = readonly (string | undefined)[];
type Body = (context: CareContext, words: Words) => Promise<number>;

export function finishCare(command: Command, session: Session, body: Body): void {
  command.exitOverride().action(async () => {
    const flags: Flags = command.opts();
    const { terminal, directories } = session;
    const isJson = flags['json'] === true;
    const words = command.processedArgs as Words;
    const code = await runCommand(terminal, serverUrl(textFlag(flags, 'url') ?? ''), (signal) =>
      body({ terminal, directories, signal, flags, isJson }, words),
    );
    session.ended(code);
  });
}

/** What a command needs that opens a database as its server would. */
export function addOpeningFlags(command: Command): Command {
  return command
    .option('--config <file>', 'the settings of its server, whose retention holds here, too')
    .option('--json', 'JSON, a line for each step, not a table');
}

/** A directory, or a server that has it. */
export function addPlace(command: Command): Command {
  return addServer(command.argument('[dir]', 'the data directory, which no server has open'));
}

export function addServer(command: Command): Command {
  return addTrustFlags(command)
    .option('--url <url>', 'the admin listener of a running server, instead of a directory')
    .option('--token-file <file>', 'file that holds its token (or SDB_ADMIN_TOKEN)');
}
