/** Detects the format of a file, and previews its rows. */

import {
  chooseColumns,
  type ChosenColumn,
  type TableWishes,
} from '../../common/tables/chosen-columns.js';
import { CsvReader, type SourceRow } from '../../common/tables/csv-reader.js';
import { csvTextOf, firstRecords, type CsvText } from '../../common/tables/csv-text.js';
import { previewRowsMax, previewRowsOf, type PreviewRow } from '../../common/tables/preview-row.js';
import { RowBook, RowRefusal } from '../../common/tables/row-book.js';
import { RowLines, type Mapping } from '../../common/tables/row-lines.js';
import { RowPrinter } from '../../common/tables/row-printer.js';
import { TableFault } from '../../common/tables/table-fault.js';
import { formatOfText, isArrayOfObjects } from '../../common/tables/text-format.js';
import { sentenceOf } from '../data/fault.js';
import { bytesAsText, type FileBeginning } from './file-bytes.js';
import { fieldFault, pageWords, tableWishes, type LoadFields } from './wishes.js';

import type { TimeUnit } from '../zone.js';

/** How to load a file. */
export type LoadPlan = { readonly kind: 'lines' } | TablePlan;

interface TablePlan {
  readonly kind: 'table';
  readonly text: CsvText;
  readonly mapping: Mapping;
}

export interface LoadPreview {
  /** Null: the file cannot be loaded; `fault` is the reason. */
  readonly plan: LoadPlan | null;
  readonly fault: string;
  /** All columns of a table; empty for lines. */
  readonly columns: readonly ChosenColumn[];
  /** The metric derived from the file name. */
  readonly stem: string;
  readonly rows: readonly PreviewRow[];
  /** Complaints about rows of the beginning that would be skipped, whole or in part. */
  readonly complaints: readonly string[];
  readonly complaintCount: number;
}

interface LookedFile {
  readonly name: string;
  readonly beginning: FileBeginning;
  /** The unit of the database. */
  readonly unit: TimeUnit;
}

/** The most complaints shown. */
export const kComplaintsMax = 10;

const noPreview: LoadPreview = {
  ...{ plan: null, fault: '', columns: [], stem: '', rows: [] },
  ...{ complaints: [], complaintCount: 0 },
};

const elsewhere: Readonly<Record<string, string>> = {
  parquet: 'It is a Parquet file',
  influx: 'It is line protocol',
  prometheus: 'It is Prometheus’ text',
};

export function previewOf(file: LookedFile, fields: LoadFields): LoadPreview {
  const { bytes } = file.beginning;
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return { ...noPreview, fault: 'The file is empty.' };
  const format = /\.(?:csv|tsv)(?:\.gz)?$/i.test(file.name) ? 'csv' : formatOfText(text);
  if (format === 'csv') return previewOfTable(file, fields);
  if (isArrayOfObjects(text)) {
    return { ...noPreview, fault: 'It is one array of JSON. Write one object a line instead.' };
  }
  const other = elsewhere[format ?? ''];
  if (other !== undefined) {
    const how = 'The page loads CSV and NDJSON; seriesdb ingest loads this, too.';
    return { ...noPreview, fault: `${other}. ${how}` };
  }
  if (format !== 'ndjson') {
    return { ...noPreview, fault: 'It is neither CSV nor NDJSON: its first line is none of both.' };
  }
  const lines = text.split('\n').flatMap((line) => previewRowsOf(line, file.unit));
  return { ...noPreview, plan: { kind: 'lines' }, rows: lines.slice(0, previewRowsMax) };
}

/** `data/Room 1.csv.gz` gives `Room 1`, as on the command line. */
function stemOf(name: string): string {
  return name.replace(/(?:\.[a-z]+)?(?:\.(?:gz|zst))?$/i, '');
}

function previewOfTable(file: LookedFile, fields: LoadFields): LoadPreview {
  const beginning = bytesAsText(file.beginning.bytes);
  const text = csvTextOf(file.beginning.bytes, null);
  const stem = stemOf(file.name);
  let names: readonly string[] = [];
  try {
    const [header = [], ...rows] = firstRecords(beginning, text);
    names = header.map((cell) => cell ?? '');
    const fault = fieldFault(fields);
    if (fault !== '') return { ...noPreview, stem, fault, columns: unknownColumns(names, fields) };
    const table = { names, rows, delimiter: text.delimiter };
    const choose = (wishes: TableWishes) =>
      chooseColumns(table, { wishes, stem: stem || null, fileLabel: {} });
    const wishes = tableWishes(fields, (plain) => {
      try {
        return choose(plain).columns;
      } catch (error) {
        if (error instanceof TableFault) return [];
        throw error;
      }
    });
    const { mapping, columns } = choose(wishes);
    const plan = { kind: 'table', text, mapping } as const;
    return { ...noPreview, plan, columns, stem, ...firstRows(file, { plan, columns, beginning }) };
  } catch (error) {
    if (!(error instanceof TableFault || error instanceof RowRefusal)) throw error;
    const fault = pageWords(sentenceOf(error), names);
    return { ...noPreview, stem, fault, columns: unknownColumns(names, fields) };
  }
}

/** If the table could not be parsed, only roles set by the user are known. */
function unknownColumns(names: readonly string[], { roles }: LoadFields): readonly ChosenColumn[] {
  return names.map((name) => ({ name, role: roles.get(name) ?? 'left out', type: '' }));
}

interface PlannedTable {
  readonly plan: TablePlan;
  readonly columns: readonly ChosenColumn[];
  readonly beginning: string;
}

/**
 * The first rows as they would be stored. Throws TableFault if later rows contradict the guessed
 * columns.
 */
function firstRows(
  { beginning: { isWhole }, unit }: LookedFile,
  { plan, columns, beginning }: PlannedTable,
) {
  const reader = new CsvReader(plan.text.delimiter, plan.text.encoding);
  const records = reader.read(beginning);
  const [header, ...rest] = isWhole ? [...records, ...reader.finish()] : records;
  const book = new RowBook({ noun: 'line', isLenient: true });
  // Milliseconds fit a JavaScript number, whatever the unit of the database.
  const shownUnit = isInUnitOfDatabase(columns) ? unit : 'ms';
  const printer = printerUnder(header, { plan, unit: shownUnit, book });
  const rows: PreviewRow[] = [];
  for (const record of rest) {
    const line = printer.line(record);
    if (rows.length < previewRowsMax) rows.push(...previewRowsOf(line, shownUnit));
  }
  const refused = book.refused(0, Number.MAX_SAFE_INTEGER);
  const complaints = refused
    .slice(0, kComplaintsMax)
    .map(({ line, reason }) => `Line ${String(book.sourceOf(line))}: ${reason}`);
  return { rows, complaints, complaintCount: refused.length };
}

/** True if times are integers whose unit neither the column nor the numbers tell. */
function isInUnitOfDatabase(columns: readonly ChosenColumn[]): boolean {
  return columns.some(({ role, type }) => role === 'time' && type.startsWith("in the database's"));
}

export interface PlanPrinting {
  readonly plan: TablePlan;
  readonly unit: TimeUnit;
  readonly book: RowBook;
}

/** Creates the printer for the rows below this header. Throws TableFault. */
export function printerUnder(header: SourceRow | undefined, { plan, unit, book }: PlanPrinting) {
  const columns = (header?.cells ?? []).map((cell) => ({
    ...{ name: cell ?? '', unit: null, isNested: false, isFloating: false },
  }));
  return new RowPrinter(new RowLines(columns, plan.mapping, unit), book);
}
