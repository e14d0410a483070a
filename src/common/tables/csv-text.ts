/** Encoding, delimiter and first records of a CSV file. */

import { CsvReader, type TableEncoding } from './csv-reader.js';
import { TableFault } from './table-fault.js';
import { delimiterOf } from './text-format.js';

import type { RowCells } from './row-cells.js';

export interface CsvText {
  readonly delimiter: string;
  readonly encoding: TableEncoding;
}

/** The number of bytes at a file's beginning that suffices to detect its format. */
export const beginningSize = 512 * 1024;

/** `delimiter` separates cells; null means the delimiter of the first line. */
export function csvTextOf(beginning: Uint8Array, delimiter: string | null): CsvText {
  const encoding = encodingOf(beginning);
  const [firstLine = ''] = new TextDecoder(encoding).decode(beginning).split('\n', 1);
  return { delimiter: delimiter ?? delimiterOf(firstLine) ?? ',', encoding };
}

/** The last character of the beginning may be cut. */
function encodingOf(beginning: Uint8Array): TableEncoding {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: true });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** The valid records of a beginning, whose characters are bytes. */
export function firstRecords(beginning: string, text: CsvText): readonly RowCells[] {
  const reader = new CsvReader(text.delimiter, text.encoding);
  const whole = reader.read(beginning);
  const records = whole.length > 0 ? whole : reader.finish();
  return records.flatMap(({ cells, fault }) => (fault === null ? [cells] : []));
}

/** The cells of a text that is one record. Null if it is none, or if quotes are wrong. */
export function cellsOf(text: string): readonly string[] | null {
  if (text === '') return [''];
  const reader = new CsvReader(',');
  try {
    const bytes = new TextEncoder().encode(text);
    const [record, ...more] = [...reader.read(latin1Of(bytes)), ...reader.finish()];
    if (record === undefined || record.fault !== null || more.length > 0) return null;
    return record.cells.map((cell) => cell ?? '');
  } catch (error) {
    if (error instanceof TableFault) return null;
    throw error;
  }
}

function latin1Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
