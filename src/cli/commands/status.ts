/** `seriesdb status`: shows the health of a server and its database. */

import type { Command } from 'commander';

import { serverFacts, type Seen } from '../maintenance/server-facts.js';
import { finishClient } from '../session/client-command.js';
import { printJson } from '../session/client-context.js';
import { exitCodes } from '../session/failure.js';
import { printFacts } from '../session/table.js';
import { addWatchFlag, watch, watchFlag } from '../session/watch.js';

import type { Status } from '../../client/client.js';
import type { Session } from '../session/command.js';

export function addStatus(program: Command, session: Session): void {
  const status = program.command('status').description('server and database health');
  finishClient(addWatchFlag(status), session, (context, flags) => {
    let before: Seen | null = null;
    return watch(context, watchFlag(flags), async ({ client, signal, terminal, isJson, url }) => {
      // A server of another version may omit any part.
      const found: Partial<Status> = await client.status({ signal });
      const samples = found.runtime?.['ingest_total'] ?? 0;
      const now: Seen = { samples, atMs: performance.now() };
      terminal.write(
        isJson ? printJson(found) : printFacts(serverFacts(found, { url, before, now })),
      );
      before = now;
      // The exit code says whether the server is healthy.
      return found.status === 'ok' ? exitCodes.ok : exitCodes.failed;
    });
  });
}
