/** `seriesdb snapshot list`: the names that a database has for its states. */

import { parse } from 'lossless-json';

import { exitCodes } from '../failure.js';
import { printTable } from '../table.js';

import { adminConnection, placeOf, type CareContext } from './care-context.js';
import { linesOf, readPieces } from './directories.js';
import { cellOf } from './inspect.js';

import type { Flags } from '../client-context.js';

const columns = ['name', 'time_ms', 'series', 'segments', 'samples', 'bytes', 'own_bytes'];

/** Resolves with the exit code. */
export async function listSnapshots(
  context: CareContext,
  directory: string | undefined,
  flags: Flags,
): Promise<number> {
  const { terminal, isJson } = context;
  const rows: Readonly<Record<string, unknown>>[] = [];
  for await (const line of linesOf(openPieces(context, directory, flags))) {
    if (isJson) terminal.write(`${line}\n`);
    rows.push(parse(line) as Readonly<Record<string, unknown>>);
  }
  if (!isJson) {
    const heads = columns.map((name) => ({ name, isNumber: name !== 'name' }));
    const cells = rows.map((row) => columns.map((name) => cellOf(row[name])));
    terminal.write(printTable(heads, cells));
  }
  return exitCodes.ok;
}

function openPieces(
  { terminal, directories, signal }: CareContext,
  directory: string | undefined,
  flags: Flags,
): AsyncIterable<Uint8Array> {
  const place = placeOf(directory, flags);
  if ('url' in place) {
    const path = '/__admin/snapshot/list';
    const call = { method: 'GET', path, isRepeatable: true, signal } as const;
    return adminConnection(terminal, place.url, flags).pieces(call);
  }
  const request = { ...place, report: 'snapshots', number: null } as const;
  return readPieces(directories.openReport(request), signal);
}
