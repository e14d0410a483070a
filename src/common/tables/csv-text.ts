/** How a table of comma-separated values is written, and how it begins. */

import { CsvReader, type TableEncoding } from './csv-reader.js';
import { delimiterOf } from './text-format.js';

import type { Cells } from './row-lines.js';

export interface CsvText {
  readonly delimiter: string;
  readonly encoding: TableEncoding;
}

/** So many bytes of a file are enough to tell what it is. */
export const beginningSize = 512 * 1024;

/** `delimiter`: what stands between cells; null: as the first line says. */
export function csvTextOf(beginning: Uint8Array, delimiter: string | null): CsvText {
  const encoding = encodingOf(beginning);
  const [firstLine = ''] = new TextDecoder(encoding).decode(beginning).split('\n', 1);
  return { delimiter: delimiter ?? delimiterOf(firstLine) ?? ',', encoding };
}

/** A character may be cut at the end of the beginning. */
function encodingOf(beginning: Uint8Array): TableEncoding {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: true });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** The records of a beginning whose characters are bytes, but for those that are faulty. */
export function firstRecords(beginning: string, text: CsvText): readonly Cells[] {
  const reader = new CsvReader(text.delimiter, text.encoding);
  const whole = reader.read(beginning);
  const records = whole.length > 0 ? whole : reader.finish();
  return records.flatMap(({ cells, fault }) => (fault === null ? [cells] : []));
}
