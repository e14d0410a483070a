/** Rows as text: JSON with columns and stats, CSV, or one JSON object a line. */

import { printFloat } from '../evaluate.js';

import type { ResultRow } from '../execution.js';
import type { RunningQuery } from '../run-query.js';
import type { OutputColumn } from '../plan/plan.js';
import type { Value } from '../value.js';

export type ResultFormat = 'json' | 'csv' | 'ndjson';

export const contentTypes: Readonly<Record<ResultFormat, string>> = {
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

/** Characters of a piece, about. */
const kPieceSize = 32_768;

/** The answer in pieces of text. Throws what ends the query; then the text is not complete. */
export async function* printResult(
  query: RunningQuery,
  format: ResultFormat,
): AsyncGenerator<string> {
  const printer = printerOf(format, query.columns);
  if (format === 'json' && query.texts !== undefined) {
    yield* joinTexts(query.texts, printer.head);
    yield printer.tail(query);
    return;
  }
  let text = printer.head;
  let isFirst = true;
  for await (const rows of query.rows) {
    for (const row of rows) {
      text += printer.row(row, isFirst);
      isFirst = false;
      if (text.length < kPieceSize) continue;
      yield text;
      text = '';
    }
  }
  yield text + printer.tail(query);
}

async function* joinTexts(
  batches: NonNullable<RunningQuery['texts']>,
  head: string,
): AsyncGenerator<string> {
  let text = head;
  let isFirst = true;
  for await (const batch of batches) {
    text += isFirst ? batch.text : `,${batch.text}`;
    isFirst = false;
    if (text.length < kPieceSize) continue;
    yield text;
    text = '';
  }
  yield text;
}

interface Printer {
  readonly head: string;
  row(row: ResultRow, isFirst: boolean): string;
  tail(query: RunningQuery): string;
}

function printerOf(format: ResultFormat, columns: readonly OutputColumn[]): Printer {
  switch (format) {
    case 'json':
      return {
        head: `{"columns":${JSON.stringify(columns)},"rows":[`,
        row: (row, isFirst) => `${isFirst ? '' : ','}[${row.map(printJson).join(',')}]`,
        tail: (query) => `],"stats":${JSON.stringify(query.stats())}}`,
      };
    case 'csv':
      return {
        head: csvLine(columns.map(({ name }) => csvText(name))),
        row: (row) => csvLine(row.map(csvValue)),
        tail: () => '',
      };
    case 'ndjson': {
      const keys = uniqueNames(columns).map((name) => JSON.stringify(name));
      return {
        head: '',
        row: (row) =>
          `{${row.map((value, at) => `${keys[at] ?? '""'}:${printJson(value)}`).join(',')}}\n`,
        tail: () => '',
      };
    }
  }
}

/** Integers exact, floats in the shortest form that reads back the same. */
export function printJson(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' ? printFloat(value) : String(value);
}

function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
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

/** A name that comes again gets `_2`, `_3`, … */
export function uniqueNames(columns: readonly OutputColumn[]): readonly string[] {
  const taken = new Set(columns.map(({ name }) => name));
  const used = new Set<string>();
  return columns.map(({ name }) => {
    let unique = name;
    for (let at = 2; used.has(unique); at++) {
      const candidate = `${name}_${at}`;
      if (!taken.has(candidate)) unique = candidate;
    }
    used.add(unique);
    taken.add(unique);
    return unique;
  });
}
