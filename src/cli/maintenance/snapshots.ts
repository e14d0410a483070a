/** `seriesdb snapshot list`: lists the snapshots of a database. */

import { parse } from 'lossless-json';

import { exitCodes } from '../session/failure.js';
import { printTable } from '../session/table.js';

import { reportPieces, type MaintenanceContext } from '../session/maintenance-context.js';
import { linesOf } from '../session/directories.js';
import { cellOf } from './inspect.js';

const columns = ['name', 'time_ms', 'series', 'segments', 'samples', 'bytes', 'own_bytes'];

/** Resolves with the exit code. */
export async function listSnapshots(
  context: MaintenanceContext,
  directory: string | undefined,
): Promise<number> {
  const { terminal, isJson } = context;
  const rows: Readonly<Record<string, unknown>>[] = [];
  for await (const line of linesOf(reportPieces(context, listed, directory))) {
    if (isJson) terminal.write(`${line}\n`);
    rows.push(parse(line) as Readonly<Record<string, unknown>>);
  }
  if (!isJson) {
    const heads = columns.map((name) => ({ name, isNumber: name !== 'name' }));
    const cells = rows.map((row) => columns.map((name) => cellOf(row[name])));
    terminal.write(printTable(heads, cells, { width: terminal.width() }));
  }
  return exitCodes.ok;
}

const listed = { method: 'GET', path: '/__admin/snapshot/list', report: 'snapshots' } as const;
