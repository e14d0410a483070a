/** Encoding, delimiter and first records of a CSV file. */

import { CsvReader, type TableEncoding } from './csv-reader.js';
import { delimiterOf } from './text-format.js';

import type { RowCells } from './row-lines.js';

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
