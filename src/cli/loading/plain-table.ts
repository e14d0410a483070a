/**
 * Tables that the server's own parser of CSV reads as CsvReader and RowLines do. Their rows are
 * sent as they are.
 */

import { csvText } from '../../common/model/csv-text.js';
import { CsvReader } from '../../common/tables/csv-reader.js';
import { RecordEnds } from '../../common/tables/record-ends.js';
import { RowLines, type RowLineOptions } from '../../common/tables/row-lines.js';
import { TableFault } from '../../common/tables/table-fault.js';

import { countNewlines } from './line-ends.js';

import type { ImportCsvOptions } from '../../client/client.js';
import type { ColumnRole, TableForm } from '../../common/model/table-columns.js';
import type { CsvText } from '../../common/tables/csv-text.js';

export interface PlainTable {
  readonly form: TableForm;
  readonly lines: RowLines;
  /** The bytes of the header. */
  readonly headSize: number;
  /** The lines of the header. */
  readonly headLines: number;
}

/** The longest description of columns: it is a part of the address of each request. */
const describedMax = 2_000;

/** Null if the server cannot read the rows below the header, or would read them otherwise. */
export function plainTableOf(
  beginning: Buffer,
  text: CsvText,
  options: RowLineOptions,
): PlainTable | null {
  if (text.delimiter !== ',' || text.encoding !== 'utf-8') return null;
  const headSize = new RecordEnds().first(beginning);
  if (headSize === 0) return null;
  const lines = linesUnder(beginning.toString('latin1', 0, headSize), options);
  if (lines === null || !isPlain(options)) return null;
  const form: TableForm = {
    columns: lines.roles,
    precision: lines.timeUnit,
    labels: options.mapping.labels,
    // If the user named the columns, a blank value is a fault of its row.
    skip_blanks: options.mapping.guess === null ? 'none' : 'values',
  };
  const headLines = countNewlines(beginning.subarray(0, headSize));
  return isDescribable(form) ? { form, lines, headSize, headLines } : null;
}

/** Null if the header has a fault, which the load then reports. */
function linesUnder(header: string, { mapping, unit }: RowLineOptions): RowLines | null {
  try {
    const reader = new CsvReader(',');
    const [head, ...more] = [...reader.read(header), ...reader.finish()];
    if (head === undefined || head.fault !== null || more.length > 0) return null;
    const columns = head.cells.map((cell) => sourceColumnOf(cell ?? ''));
    return new RowLines(columns, mapping, unit);
  } catch (error) {
    if (error instanceof TableFault) return null;
    throw error;
  }
}

/** The column of a text file with this name. */
export function sourceColumnOf(name: string) {
  return { name, unit: null, isNested: false, isFloating: false };
}

/** Whether the cells have one notation that the server knows. */
function isPlain({ mapping: { guess, metric, valueColumns } }: RowLineOptions): boolean {
  // A name that ends in a dot is a metric for the server, and a fault of a line's fields.
  if (metric === '' || (valueColumns.length > 1 && valueColumns.includes(''))) return false;
  if (guess === null) return true;
  const { numbers, timePattern, zone, clockColumn, units } = guess;
  const isUtc = zone === null || zone === 'UTC';
  return (
    numbers.decimal === '.' &&
    timePattern === null &&
    isUtc &&
    clockColumn === null &&
    units.size === 0
  );
}

/** Whether the parameters mean what the form says, and are short. */
function isDescribable(form: TableForm): boolean {
  const keys = Object.keys(form.labels);
  const names = [...form.columns.map(({ name }) => name), ...keys];
  // Blanks around a name, and a colon in a key, would be lost.
  if (names.some((name) => name !== name.trim()) || keys.some((key) => /^$|:/.test(key)))
    return false;
  const { columns, labels = '' } = parametersOf(form);
  return encodeURIComponent(`${columns}${labels}`).length <= describedMax;
}

/** The parameters of POST /api/v1/import/csv. */
export function parametersOf({ columns, precision, labels, skip_blanks }: TableForm) {
  const pairs = Object.entries(labels).map(([key, text]) => csvText(`${key}:${text}`));
  return {
    columns: columns.map(entryOf).join(','),
    ...{ precision, skip_blanks, on_error: 'fail' },
    ...(pairs.length > 0 && { labels: pairs.join(',') }),
  } as const satisfies ImportCsvOptions;
}

function entryOf({ kind, name }: ColumnRole): string {
  return csvText(name === '' ? kind : `${kind}:${name}`);
}
