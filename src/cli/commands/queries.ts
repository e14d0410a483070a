/** `seriesdb queries`: lists the queries of a server, or cancels one. */

import { addPlace, finishMaintenance } from '../session/maintenance-command.js';
import { serverOf } from '../session/maintenance-context.js';
import { textFlag } from '../session/client-context.js';

import type { Command } from 'commander';

import type { Session } from '../session/command.js';

export function addQueries(program: Command, session: Session): void {
  const command = program
    .command('queries')
    .description('list the running and waiting queries of a server, or cancel one')
    .option('--cancel <id>', 'cancel the query with this id; its client gets an error')
    .option('--json', 'print the JSON of the server instead of a table')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.');
  finishMaintenance(addPlace(command), session, async (context, [directory]) => {
    const { cancelQuery, listQueries } = await import('../maintenance/queries.js');
    const server = await serverOf(context, directory);
    const id = textFlag(context.flags, 'cancel');
    return id === undefined ? listQueries(context, server) : cancelQuery(context, server, id);
  });
}
