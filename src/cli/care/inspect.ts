/** `seriesdb inspect`: what the files of a directory say, as tables. */

import { isLosslessNumber, parse } from 'lossless-json';

import { parseU64 } from '../../model/integers.js';
import { textFlag, type Flags } from '../session/client-context.js';
import { CommandFailure, exitCodes } from '../session/failure.js';
import { printFacts, printTable, type Cell } from '../session/table.js';

import { inspectionParts, type CareContext } from './care-context.js';
import { linesOf, readPieces } from '../session/directories.js';

type Part = (typeof inspectionParts)[number];

/** Resolves with the exit code: damaged when a line told of a file that cannot be read. */
export async function inspect(
  context: CareContext,
  [directory = '', part = 'manifest']: readonly (string | undefined)[],
): Promise<number> {
  const { terminal, directories, flags, signal, isJson } = context;
  const report = inspectionParts.find((one) => one === part) ?? unknownPart(part);
  const pieces = directories.openReport({ directory, report, number: numberOf(flags) });
  const limit = typeof flags['limit'] === 'number' ? flags['limit'] : Infinity;
  const rows: Row[] = [];
  let isDamaged = false;
  let count = 0;
  for await (const line of linesOf(readPieces(pieces, signal))) {
    const row = parse(line) as Row;
    isDamaged ||= row['error'] !== undefined;
    if (count++ >= limit) break;
    if (isJson) terminal.write(`${line}\n`);
    else rows.push(row);
  }
  if (!isJson) terminal.write(report === 'manifest' ? printOne(rows) : printRows(rows));
  return isDamaged ? exitCodes.damaged : exitCodes.ok;
}

type Row = Readonly<Record<string, unknown>>;

function unknownPart(part: string): Part {
  throw new CommandFailure(`"${part}" is none of ${inspectionParts.join(', ')}`);
}

function numberOf(flags: Flags): bigint | null {
  const text = textFlag(flags, 'number');
  if (text === undefined) return null;
  const number = parseU64(text);
  if (number !== null && number < 1n << 63n) return number;
  throw new CommandFailure('--number must be that of a segment or of a file of the log');
}

/** Numbers stay as they were written. */
export function cellOf(value: unknown): Cell {
  if (isLosslessNumber(value)) return value.value;
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : null;
}

/** The members of an object, side by side with what they are. */
export function printMembers(object: object): string {
  return printFacts(Object.entries(object).map(([name, value]) => [name, cellOf(value)]));
}

/** A line of a stream without the word that tells what kind of line it is. */
export function withoutKind(line: object): object {
  return Object.fromEntries(Object.entries(line).filter(([name]) => name !== 'kind'));
}

function printOne(rows: readonly Row[]): string {
  return rows.map(printMembers).join('');
}

/** A column for every member that some row has, where the first of them stands. */
function printRows(rows: readonly Row[]): string {
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
  );
}
