/** A CSV file of the demo as a series: its name, its points, and what must come back of them. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

export interface SeriesFile {
  readonly metric: string;
  readonly labels: { readonly source: string; readonly file: string };
  /** In the file's order, duplicates included. */
  readonly points: readonly Point[];
  readonly sizeBytes: number;
}

export interface Point {
  /** Milliseconds since 1970, UTC. */
  readonly ts: number;
  /** The number as the file writes it. */
  readonly text: string;
}

const header = 'timestamp,value';

/** Reads every CSV in the folders below `root`, sorted by path. */
export function readSeriesFiles(root: string): SeriesFile[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.csv'))
    .sort()
    .map((name) => readSeriesFile(root, name));
}

function readSeriesFile(root: string, name: string): SeriesFile {
  const text = readFileSync(path.join(root, name), 'utf8');
  const [first, ...lines] = text.split(/\r?\n/);
  if (first !== header) throw new Error(`${name} does not begin with "${header}"`);
  const points = lines.flatMap((line, at) => (line === '' ? [] : [readPoint(line, name, at + 2)]));
  const file = path.basename(name, '.csv');
  const source = path.basename(path.dirname(path.join(root, name)));
  const sizeBytes = Buffer.byteLength(text);
  return { metric: file.replace(/_[^_]*$/, ''), labels: { source, file }, points, sizeBytes };
}

function readPoint(line: string, name: string, lineNumber: number): Point {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d),(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.exec(
    line,
  );
  const [, date, time, text] = match ?? [];
  const ts = Date.parse(`${date ?? ''}T${time ?? ''}Z`);
  if (text === undefined || Number.isNaN(ts)) {
    throw new Error(`${name}, line ${String(lineNumber)}: not a time and a number: ${line}`);
  }
  return { ts, text };
}

/** What a database should hold of a file: sorted by time, and of equal times the last value. */
export function expectedPoints(file: SeriesFile): { ts: bigint; value: number }[] {
  const byTs = new Map<number, number>();
  for (const { ts, text } of file.points) byTs.set(ts, Number(text));
  return [...byTs]
    .sort(([one], [other]) => one - other)
    .map(([ts, value]) => ({ ts: BigInt(ts), value }));
}
