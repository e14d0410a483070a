/** Finishes commands that maintain a database, and adds the flags of its place. */

import type { Command } from 'commander';

import { textFlag } from './client-context.js';
import { ownServerName } from './own-server.js';
import { withAdminProfile } from './profile.js';
import { failureOf, runCommand } from './run-command.js';
import { addTrustFlags, serverUrl, trustOf } from './server-address.js';

import type { MaintenanceContext } from './maintenance-context.js';
import type { Session } from './command.js';

const kInstead = 'the admin listener of a running server, instead of a directory';

type MaintenanceWords = readonly (string | undefined)[];
type MaintenanceBody = (context: MaintenanceContext, words: MaintenanceWords) => Promise<number>;

export function finishMaintenance(command: Command, session: Session, body: MaintenanceBody): void {
  command.exitOverride().action(async () => {
    const { terminal, directories } = session;
    const words = command.processedArgs as MaintenanceWords;
    const code = await runCommand(terminal, async (signal) => {
      const flags = withAdminProfile(command.opts(), terminal.environment);
      const isJson = flags['json'] === true;
      try {
        return await body({ terminal, directories, signal, flags, isJson }, words);
      } catch (error) {
        const given = textFlag(flags, 'url');
        const url = given === undefined ? ownServerName : serverUrl(given);
        throw await failureOf(error, { url, listener: 'admin', ...trustOf(flags) });
      }
    });
    session.ended(code);
  });
}

/** Adds the flags of commands that open a database as its server would. */
export function addOpeningFlags(command: Command): Command {
  return command
    .option('--config <file>', 'settings of the server; their retention applies here, too')
    .option('--json', 'print one JSON line per step instead of a table');
}

/** Adds the directory, or the server that has it open. */
export function addPlace(command: Command): Command {
  return addServer(command.argument('[dir]', placeHelp));
}

export const placeHelp = 'the data directory; a server of yours that has it open does the work';

export function addServer(command: Command, purpose = kInstead): Command {
  return addTrustFlags(command)
    .option('--url <url>', purpose)
    .option('--profile <name>', 'use the admin_url of this profile in client.toml')
    .option('--token-file <file>', 'file with the admin token (or SDB_ADMIN_TOKEN)');
}
