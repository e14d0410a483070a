/** Rows as text: JSON with columns and stats, CSV, or one JSON object a line. */

import { printFloat } from '../evaluate.js';

import { rowLayout, type ResultFormat } from './layout.js';

import type { ResultRow, RowLayout } from '../execution.js';
import type { RunningQuery } from '../run-query.js';
import type { OutputColumn } from '../plan/plan.js';
import type { Value } from '../value.js';

export type { ResultFormat };

export const contentTypes: Readonly<Record<ResultFormat, string>> = {
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

/** Characters of a piece, about. */
const kPieceSize = 32_768;
/** Bytes that are rather copied together than sent one after the other. */
const kCopiedMax = 320 * 1024;

const encoder = new TextEncoder();

/**
 * The answer in pieces of UTF-8. `format` is that with which the query was started. Throws what
 * ends the query; then the text is not complete.
 */
export async function* printResult(
  query: RunningQuery,
  format: ResultFormat,
): AsyncGenerator<Uint8Array> {
  const { texts } = query;
  const layout = rowLayout(format, query.columns);
  const head = headOf(format, query.columns);
  if (texts !== undefined) {
    yield* joinTexts(query, texts, { format, layout, head });
    return;
  }
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
  yield encoder.encode(text + tailOf(format, query));
}

interface Joining {
  readonly format: ResultFormat;
  readonly layout: RowLayout;
  readonly head: string;
}

/** What is short comes in one piece. */
async function* joinTexts(
  query: RunningQuery,
  texts: NonNullable<RunningQuery['texts']>,
  { format, layout, head }: Joining,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array = encoder.encode(head);
  let isFirst = true;
  for await (const { text } of texts) {
    const between = encoder.encode(isFirst ? '' : layout.between);
    isFirst = false;
    if (waiting.length + text.length <= kCopiedMax) {
      waiting = Buffer.concat([waiting, between, text]);
      continue;
    }
    yield Buffer.concat([waiting, between]);
    waiting = text;
  }
  const tail = encoder.encode(tailOf(format, query));
  if (waiting.length <= kCopiedMax) {
    yield Buffer.concat([waiting, tail]);
    return;
  }
  yield waiting;
  if (tail.length > 0) yield tail;
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

function tailOf(format: ResultFormat, query: RunningQuery): string {
  return format === 'json' ? `],"stats":${JSON.stringify(query.stats())}}` : '';
}

function printRow(row: ResultRow, layout: RowLayout, isFirst: boolean): string {
  const { before, rowEnd, between, isCsv } = layout;
  let text = isFirst ? '' : between;
  for (const [at, value] of row.entries()) {
    text += `${before[at] ?? ''}${isCsv ? csvValue(value) : printJson(value)}`;
  }
  return text + rowEnd;
}

/** Integers exact, floats in the shortest form that reads back the same. */
export function printJson(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' ? printFloat(value) : String(value);
}

/** Null is an empty cell, and an empty text a pair of quotes. */
function csvValue(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'string') return csvText(value);
  return typeof value === 'number' ? printFloat(value) : String(value);
}

function csvText(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
