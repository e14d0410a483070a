/** Rows as text: JSON with columns and stats, CSV, or one JSON object per line. */

import { csvText } from '../../../common/model/csv-text.js';
import { printFloat } from '../plan/evaluate.js';

import { rowLayout, type ResultFormat } from './layout.js';

import type { Value } from '../../values/value.js';
import type { OutputColumn } from '../plan/plan.js';
import type { ShortAnswer } from '../execute/compiled-engine.js';
import type { ResultRow, RowLayout, RowTexts } from '../execute/execution.js';
import type { QueryStats } from '../execute/query-stats.js';
import type { RunningQuery } from '../execute/running-query.js';

export type { ResultFormat };

export const contentTypes: Readonly<Record<ResultFormat, string>> = {
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

/** The approximate size of a piece, in characters. */
const kPieceSize = 32_768;
const encoder = new TextEncoder();
type KnownHeads = WeakMap<readonly OutputColumn[], Uint8Array>;
const knownHeads: Readonly<Record<ResultFormat, KnownHeads>> = {
  json: new WeakMap(),
  csv: new WeakMap(),
  ndjson: new WeakMap(),
};

/**
 * The answer in pieces of UTF-8. `format` must be the one that the query was started with. Throws
 * the error that ends the query; the text is then incomplete.
 */
export function printResult(query: RunningQuery, format: ResultFormat): AsyncGenerator<Uint8Array> {
  const { texts } = query;
  const layout = rowLayout(format, query.columns);
  const head = headOf(format, query.columns);
  return texts === undefined
    ? printRows(query, { format, layout, head })
    : joinTexts(query, texts, { format, layout, head });
}

/** The same for a complete answer. */
export function printAnswer(
  { columns, text, stats }: ShortAnswer & { readonly stats: QueryStats },
  format: ResultFormat,
): Uint8Array {
  const head = headBytes(format, columns);
  const tail = tailOf(format, () => stats);
  const end = head.length + text.length;
  const whole = Buffer.allocUnsafe(end + tail.length);
  whole.set(head, 0);
  whole.set(text, head.length);
  // Figures and this program's own words are ASCII.
  whole.write(tail, end, 'latin1');
  return whole;
}

/** The columns of immediate answers belong to a shape and recur, so their heads are cached. */
function headBytes(format: ResultFormat, columns: readonly OutputColumn[]): Uint8Array {
  const heads = knownHeads[format];
  const known = heads.get(columns);
  if (known !== undefined) return known;
  const head = encoder.encode(headOf(format, columns));
  heads.set(columns, head);
  return head;
}

interface ResultPrinting {
  readonly format: ResultFormat;
  readonly layout: RowLayout;
  readonly head: string;
}

async function* printRows(
  query: RunningQuery,
  { format, layout, head }: ResultPrinting,
): AsyncGenerator<Uint8Array> {
  let text = head;
  let isFirst = true;
  for await (const rows of query.rows) {
    for (const row of rows) {
      text += printRow(row, layout, isFirst);
      isFirst = false;
      if (text.length < kPieceSize) continue;
      yield encoder.encode(text);
      text = '';
    }
  }
  yield encoder.encode(text + tailOf(format, () => query.stats()));
}

/** Additions to a piece are written into its own buffer, since copying long pieces is expensive. */
async function* joinTexts(
  query: RunningQuery,
  texts: NonNullable<RunningQuery['texts']>,
  { format, layout, head }: ResultPrinting,
): AsyncGenerator<Uint8Array> {
  let waiting: RowTexts | null = null;
  let before = head;
  for await (const piece of texts) {
    if (waiting !== null) yield waiting.text;
    waiting = withHead(piece, before);
    before = layout.between;
  }
  const tail = tailOf(format, () => query.stats());
  yield waiting === null ? encoder.encode(head + tail) : withTail(waiting, tail);
}

function withHead(piece: RowTexts, head: string): RowTexts {
  const { text, room, rowCount } = piece;
  const size = Buffer.byteLength(head);
  if (size === 0) return piece;
  if (size > room) {
    return { text: Buffer.concat([encoder.encode(head), text]), room: 0, rowCount };
  }
  const whole = new Uint8Array(text.buffer, text.byteOffset - size, size + text.length);
  encoder.encodeInto(head, whole);
  return { text: whole, room, rowCount };
}

function withTail({ text, room }: RowTexts, tail: string): Uint8Array {
  const size = Buffer.byteLength(tail);
  if (size === 0) return text;
  if (size > room) return Buffer.concat([text, encoder.encode(tail)]);
  const whole = new Uint8Array(text.buffer, text.byteOffset, text.length + size);
  encoder.encodeInto(tail, whole.subarray(text.length));
  return whole;
}

function headOf(format: ResultFormat, columns: readonly OutputColumn[]): string {
  switch (format) {
    case 'json':
      return `{"columns":${JSON.stringify(columns)},"rows":[`;
    case 'csv':
      return `${columns.map(({ name }) => csvText(name)).join(',')}\r\n`;
    case 'ndjson':
      return '';
  }
}

function tailOf(format: ResultFormat, stats: RunningQuery['stats']): string {
  return format === 'json' ? `],"stats":${JSON.stringify(stats())}}` : '';
}

function printRow(row: ResultRow, layout: RowLayout, isFirst: boolean): string {
  const { before, rowEnd, between, isCsv } = layout;
  let text = isFirst ? '' : between;
  for (const [at, value] of row.entries()) {
    text += `${before[at] ?? ''}${isCsv ? csvValue(value) : printJson(value)}`;
  }
  return text + rowEnd;
}

/** Integers are exact; floats have the shortest form that reads back the same. */
export function printJson(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' ? printFloat(value) : String(value);
}

/** Null is an empty cell. */
function csvValue(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'string') return csvText(value);
  return typeof value === 'number' ? printFloat(value) : String(value);
}
