/** `seriesdb queries`: lists the queries of a server as a table, or cancels one. */

import {
  adminOrder,
  type AskedServer,
  type MaintenanceContext,
} from '../session/maintenance-context.js';
import { exitCodes } from '../session/failure.js';
import { printTable } from '../session/table.js';

import type { ListedQuery } from '../../operations/slots/running-queries.js';

const columns = ['id', 'state', 'elapsed_ms', 'as_of', 'statement'] as const;

/** Resolves with the exit code, like cancelQuery(). */
export async function listQueries(
  context: MaintenanceContext,
  { connection }: AskedServer,
): Promise<number> {
  const { terminal, signal, isJson } = context;
  const call = { method: 'GET', path: '/__admin/queries', isRepeatable: true, signal } as const;
  const answer = await connection.text(call);
  if (isJson) {
    terminal.write(`${answer}\n`);
    return exitCodes.ok;
  }
  const { queries } = JSON.parse(answer) as { queries: readonly ListedQuery[] };
  const heads = columns.map((name) => ({ name, isNumber: name === 'id' || name === 'elapsed_ms' }));
  // A table shows a multi-line statement on one line.
  const cellsOf = (query: ListedQuery): readonly string[] =>
    columns.map((name) => String(query[name] ?? '').replaceAll(/\s+/g, ' '));
  terminal.write(printTable(heads, queries.map(cellsOf), { width: terminal.width() }));
  return exitCodes.ok;
}

export async function cancelQuery(
  context: MaintenanceContext,
  server: AskedServer,
  id: string,
): Promise<number> {
  const path = `/__admin/queries/${encodeURIComponent(id)}`;
  const answer = await adminOrder(context, { server, path, method: 'DELETE' }).text();
  const { status } = JSON.parse(answer) as { status: 'cancelled' | 'ended' };
  const told = status === 'cancelled' ? 'is cancelled' : 'had ended already';
  context.terminal.write(context.isJson ? `${answer}\n` : `query ${id} ${told}\n`);
  return exitCodes.ok;
}
