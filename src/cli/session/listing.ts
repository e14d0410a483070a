/** Prints lists of found items, and their times. */

import { printTime } from '../../common/model/iso-time.js';

import { printJson, type ClientContext, type TimedContext } from './client-context.js';
import { exitCodes } from './failure.js';
import { printTable, type Cell, type PrintedColumn } from './table.js';

interface PrintedListing<T> {
  readonly found: readonly T[];
  readonly columns: readonly PrintedColumn[];
  readonly row: (one: T) => readonly Cell[];
  /** Says why nothing was found. */
  readonly whyNone?: string;
}

/** Prints the found items, or a remark if there are none. */
export function writeList<T>(context: ClientContext, listing: PrintedListing<T>): number {
  const { terminal, isJson } = context;
  const { found, columns, row, whyNone = 'nothing found' } = listing;
  if (isJson) terminal.write(printJson(found));
  else if (found.length === 0) terminal.writeError(`${whyNone}\n`);
  else terminal.write(printTable(columns, found.map(row), { width: terminal.width() }));
  return exitCodes.ok;
}

export function timeCell(context: TimedContext, ts: bigint | null): Cell {
  if (ts === null) return null;
  const shown = printTime(ts, context.unit);
  return shown === '' ? ts : shown;
}
