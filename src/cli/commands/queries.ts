/** `seriesdb queries`: what a server works on, and an end to one of it. */

import { addServer, finishCare } from '../session/care-command.js';
import { textFlag } from '../session/client-context.js';
import { UsageFailure } from '../session/failure.js';

import type { Command } from 'commander';

import type { Session } from '../session/command.js';

export function addQueries(program: Command, session: Session): void {
  const command = program
    .command('queries')
    .description('list the running and waiting queries of a server, or cancel one')
    .option('--cancel <id>', 'cancel the query with this id; its client gets an error')
    .option('--json', 'print the JSON of the server instead of a table')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.');
  finishCare(addServer(command, 'the admin listener of the server'), session, async (context) => {
    const { cancelQuery, listQueries } = await import('../care/queries.js');
    const url = textFlag(context.flags, 'url');
    if (url === undefined) throw new UsageFailure('name a running server by --url or --profile');
    const id = textFlag(context.flags, 'cancel');
    return id === undefined ? listQueries(context, url) : cancelQuery(context, url, id);
  });
}
