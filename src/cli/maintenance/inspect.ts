/** `seriesdb inspect`: shows the contents of a database's files as tables. */

import { isLosslessNumber, parse } from 'lossless-json';

import { parseU64 } from '../../common/model/integers.js';
import { checkedInspection, inspectedParts } from '../../operations/inspection.js';
import { reportPieces, type MaintenanceContext } from '../session/maintenance-context.js';
import { textFlag, type Flags } from '../session/client-context.js';
import { linesOf } from '../session/directories.js';
import { CommandFailure, exitCodes, UsageFailure } from '../session/failure.js';
import { Meter } from '../session/meter.js';
import { printFacts, printTable, type Cell } from '../session/table.js';

import type { InspectedPart } from '../../operations/inspection.js';

/** Resolves with the exit code: damaged if a line reports an unreadable file. */
export async function inspect(
  context: MaintenanceContext,
  words: readonly (string | undefined)[],
): Promise<number> {
  const { terminal, flags, isJson } = context;
  const { directory, part } = placeAndPart(flags, words);
  const { report, number } = checkedInspection(part, numberOf(flags));
  const path = `/__admin/inspect?part=${part}${number === null ? '' : `&number=${String(number)}`}`;
  const pieces = reportPieces(context, { method: 'GET', path, report, number }, directory);
  const limit = typeof flags['limit'] === 'number' ? flags['limit'] : Infinity;
  const screen = isJson ? null : terminal.screen();
  const meter = new Meter({ screen, title: 'inspect', total: null, unit: 'rows' });
  const rows: InspectedRow[] = [];
  let isDamaged = false;
  let count = 0;
  try {
    for await (const line of linesOf(pieces)) {
      const row = parse(line) as InspectedRow;
      if (row['kind'] === 'end') throw new CommandFailure(String(row['error']));
      isDamaged ||= row['error'] !== undefined;
      if (count++ >= limit) break;
      if (isJson) terminal.write(`${line}\n`);
      else rows.push(row);
      meter.show(count, count);
    }
  } finally {
    meter.stop();
  }
  if (!isJson) {
    terminal.write(report === 'manifest' ? printOne(rows) : printRows(rows, terminal.width()));
  }
  return isDamaged ? exitCodes.damaged : exitCodes.ok;
}

type InspectedRow = Readonly<Record<string, unknown>>;

/** With --url and one word, that word names the part, not a directory. */
function placeAndPart(
  flags: Flags,
  words: readonly (string | undefined)[],
): { readonly directory: string | undefined; readonly part: InspectedPart } {
  const isLive = textFlag(flags, 'url') !== undefined && words[1] === undefined;
  const [directory, part = inspectedParts[0]] = isLive ? [undefined, words[0]] : words;
  return { directory, part: inspectedParts.find((one) => one === part) ?? unknownPart(part) };
}

function unknownPart(part: string): InspectedPart {
  throw new UsageFailure(`"${part}" is not one of ${inspectedParts.join(', ')}`);
}

function numberOf(flags: Flags): bigint | null {
  const text = textFlag(flags, 'number');
  if (text === undefined) return null;
  const number = parseU64(text);
  if (number !== null) return number;
  throw new UsageFailure('--number must be the number of a segment or of a WAL file');
}

/** Numbers keep their text. */
export function cellOf(value: unknown): Cell {
  if (isLosslessNumber(value)) return value.value;
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : null;
}

/** Names and values of an object's members, side by side. */
export function printMembers(object: object): string {
  return printFacts(Object.entries(object).map(([name, value]) => [name, cellOf(value)]));
}

/** A line of a stream without its `kind`. */
export function withoutKind(line: object): object {
  return Object.fromEntries(Object.entries(line).filter(([name]) => name !== 'kind'));
}

function printOne(rows: readonly InspectedRow[]): string {
  return rows.map(printMembers).join('');
}

/** One column per member that any row has, in order of first occurrence. */
function printRows(rows: readonly InspectedRow[], width: number | null): string {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  const texts = new Set([
    ...['level', 'width', 'times', 'values', 'file', 'record', 'error', 'final', 'hash'],
    ...['ref', 'commit', 'reason', 'root'],
  ]);
  const columns = [...names].map((name) => ({ name, isNumber: !texts.has(name) }));
  return printTable(
    columns,
    rows.map((row) => columns.map(({ name }) => cellOf(row[name]))),
    { width },
  );
}
