/** `seriesdb status`: how the database does. */

import type { Command } from 'commander';

import { serverFacts, type Seen } from '../care/server-facts.js';
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
      // One of another version may leave out any part.
      const found: Partial<Status> = await client.status({ signal });
      const samples = found.runtime?.['ingest_total'] ?? 0;
      const now: Seen = { samples, atMs: performance.now() };
      terminal.write(
        isJson ? printJson(found) : printFacts(serverFacts(found, { url, before, now })),
      );
      before = now;
      // The exit code says whether all is well.
      return found.status === 'ok' ? exitCodes.ok : exitCodes.failed;
    });
  });
}
