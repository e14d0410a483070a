/** `seriesdb status`: how the database does. */

import type { Command } from 'commander';

import { finishClient } from '../session/client-command.js';
import { printJson, type ClientContext } from '../session/client-context.js';
import { exitCodes } from '../session/failure.js';
import { printFacts, type Cell } from '../session/table.js';

import type { Session } from '../session/command.js';

export function addStatus(program: Command, session: Session): void {
  const status = program.command('status').description('how the server and its database do');
  finishClient(status, session, (context) => showStatus(context));
}

/** The exit code says whether all is well. */
async function showStatus(context: ClientContext): Promise<number> {
  const status = await context.client.status({ signal: context.signal });
  context.terminal.write(context.isJson ? printJson(status) : printFacts(factsOf(status)));
  return status.status === 'ok' ? exitCodes.ok : exitCodes.failed;
}

/** Members in the order of the answer, those of an object below their group. */
function factsOf(members: object): (readonly [string, Cell])[] {
  return Object.entries(members).flatMap(([name, value]: [string, unknown]) => {
    if (Array.isArray(value)) return value.map((one) => [name, String(one)] as const);
    if (typeof value === 'object' && value !== null) return factsOf(value);
    return [[name, value as Cell] as const];
  });
}
