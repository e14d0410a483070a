/**
 * Reads the rows of a Parquet file as lines, one row group at a time. Run it only in a separate
 * thread. The library trusts the counts in a damaged file, and may then use much time and memory.
 */

import { printTime } from '../../common/model/iso-time.js';
import { open, type FileHandle } from 'node:fs/promises';
import * as zlib from 'node:zlib';

import { parquetMetadataAsync, parquetScan, parquetSchema } from 'hyparquet';

import { CommandFailure } from '../session/failure.js';
import { printDouble } from '../../common/tables/double-text.js';
import { exactParsers, footerSum, sealOf } from '../tabular/parquet-file.js';

import {
  chooseColumns,
  type ChosenColumn,
  type TableGuess,
} from '../../common/tables/chosen-columns.js';
import {
  RowLines,
  type Mapping,
  type SourceColumn,
  type RowLineOptions,
} from '../../common/tables/row-lines.js';
import { RowFault } from '../../common/tables/table-fault.js';
import { RowPrinter } from '../../common/tables/row-printer.js';

import type { SourceRow } from '../../common/tables/csv-reader.js';

import type {
  AsyncBuffer,
  Compressors,
  DecodedArray,
  FileMetaData,
  ParquetScan,
  SchemaElement,
} from 'hyparquet';
import type { TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { RowBook } from '../../common/tables/row-book.js';

/** The options of any table, but column roles may be detected. */
export interface ParquetOptions extends Omit<RowLineOptions, 'mapping'> {
  readonly mapping: Mapping | TableGuess;
}

/** The detected column roles. */
export interface Guessed {
  readonly words: string;
  readonly columns: readonly ChosenColumn[];
}

/** The rows of a file as lines, and their number. */
interface ParquetRows {
  readonly rowCount: number;
  /** The detected column roles; null if they were given. */
  readonly guessed: Guessed | null;
  readonly bytes: AsyncGenerator<Buffer<ArrayBuffer>>;
}

interface ParquetWatch {
  /** Gets refused rows. */
  readonly rows: RowBook;
  /** Called while the file is verified. */
  readonly progress: () => void;
}

/** Rejects with the reason why the file cannot be read, or why its columns cannot become lines. */
export async function parquetRows(
  name: string,
  options: ParquetOptions,
  { rows, progress }: ParquetWatch,
): Promise<ParquetRows> {
  const handle = await open(name);
  try {
    const table = await openTable(handle, progress);
    const { mapping, guessed } = await chosen(table, options.mapping);
    const lines = new RowLines(table.columns, mapping, options.unit);
    const reader = { table, lines, printer: new RowPrinter(lines, rows) };
    return { rowCount: table.rowCount, guessed, bytes: linesOf(handle, reader) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface ParquetTable {
  readonly scan: ParquetScan;
  readonly columns: readonly SourceColumn[];
  readonly rowCount: number;
}

interface ChosenMapping {
  readonly mapping: Mapping;
  readonly guessed: Guessed | null;
}

/** Number of rows used to detect column roles. */
const guessRowsMax = 100;

/** Nested columns are excluded from the detection. */
async function chosen(table: ParquetTable, mapping: Mapping | TableGuess): Promise<ChosenMapping> {
  if (!('wishes' in mapping)) return { mapping, guessed: null };
  const { wishes } = mapping;
  const nested = table.columns.flatMap(({ name, isNested }) => (isNested ? [name] : []));
  const names = table.columns.map(({ name }) => name);
  const ignoredColumns = [...new Set([...wishes.ignoredColumns, ...nested])];
  const [first] = table.scan.ranges;
  const rowEnd = Math.min(first?.rowEnd ?? 0, guessRowsMax);
  const columns: (DecodedArray | null)[] = [];
  for (const { name, isNested } of table.columns) {
    const isRead = rowEnd > 0 && !isNested;
    columns.push(
      isRead ? await table.scan.readColumn({ column: name, rowStart: 0, rowEnd }) : null,
    );
  }
  const rows = Array.from({ length: rowEnd }, (_, at) =>
    columns.map((column, of) => textOf(column?.[at], table.columns[of]?.unit ?? null)),
  );
  const guess = { ...mapping, wishes: { ...wishes, ignoredColumns } };
  const choice = chooseColumns({ names, rows, delimiter: null }, guess);
  return { mapping: choice.mapping, guessed: { words: choice.words, columns: choice.columns } };
}

interface Reader {
  readonly table: ParquetTable;
  readonly lines: RowLines;
  readonly printer: RowPrinter;
}

async function* linesOf(handle: FileHandle, reader: Reader): AsyncGenerator<Buffer<ArrayBuffer>> {
  try {
    for (const { rowStart, rowEnd } of reader.table.scan.ranges) {
      const columns = await readGroup(reader, rowStart, rowEnd);
      const texts = reader.printer.print(rowsOf(columns, reader, rowStart));
      for (const text of texts) yield Buffer.from(text);
    }
  } finally {
    await handle.close();
  }
}

async function openTable(handle: FileHandle, progress: () => void): Promise<ParquetTable> {
  const file = await bufferOf(handle);
  if (file.byteLength < 12) throw new CommandFailure('it is not a Parquet file');
  const metadata = await parquetMetadataAsync(file, { parsers: exactParsers, geoparquet: false });
  await checkSeal(file, metadata, progress);
  const groupRows = metadata.row_groups.reduce((sum, group) => sum + group.num_rows, 0n);
  if (groupRows !== metadata.num_rows) throw new CommandFailure('its footer is damaged');
  const options = { file, metadata, parsers: exactParsers, compressors, geoparquet: false };
  const scan = await parquetScan({ ...options, useOffsetIndex: false });
  const columns = parquetSchema(metadata).children.map(({ element, children }) => ({
    name: element.name,
    ...{ unit: unitOf(element), isNested: children.length > 0 },
    isFloating: element.type === 'DOUBLE' || element.type === 'FLOAT',
  }));
  return { scan, columns, rowCount: Number(metadata.num_rows) };
}

/** Throws if a file written by seriesdb is damaged. */
async function checkSeal(
  file: AsyncBuffer,
  metadata: FileMetaData,
  progress: () => void,
): Promise<void> {
  const seal = sealOf(metadata);
  if (seal === null) return;
  const isWhole =
    footerSum(metadata) === seal.footer_crc32 &&
    (await sumOf(file, seal.data_size, progress)) === seal.data_crc32;
  if (!isWhole) throw new CommandFailure('it is damaged: its checksum does not match');
}

async function sumOf(file: AsyncBuffer, size: number, progress: () => void): Promise<number> {
  const pieceSize = 4 * 1024 * 1024;
  let sum = 0;
  for (let at = 0; at < size; at += pieceSize) {
    const piece = await file.slice(at, Math.min(size, at + pieceSize));
    sum = zlib.crc32(new Uint8Array(piece), sum);
    progress();
  }
  return sum;
}

async function readGroup(
  { table, lines }: Reader,
  rowStart: number,
  rowEnd: number,
): Promise<readonly (DecodedArray | null)[]> {
  const columns: (DecodedArray | null)[] = [];
  for (const [at, { name }] of table.columns.entries()) {
    const isUsed = lines.uses(at);
    columns.push(isUsed ? await table.scan.readColumn({ column: name, rowStart, rowEnd }) : null);
  }
  if (columns.some((one) => one !== null && one.length !== rowEnd - rowStart)) {
    throw new CommandFailure('a column has more or fewer values than there are rows');
  }
  return columns;
}

function* rowsOf(
  columns: readonly (DecodedArray | null)[],
  { table, lines }: Reader,
  rowStart: number,
): Generator<SourceRow> {
  const count = columns.find((one) => one !== null)?.length ?? 0;
  // The time column keeps its integers.
  const units = table.columns.map(({ unit }, at) => (at === lines.timeAt ? null : unit));
  for (let at = 0; at < count; at += 1) {
    const source = rowStart + at + 1;
    try {
      const cells = columns.map((column, of) => textOf(column?.[at], units[of] ?? null));
      yield { cells, source, fault: null };
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      yield { cells: [], source, fault: error.message };
    }
  }
}

/** Null is an empty cell. Throws RowFault for values without a text form. */
function textOf(value: unknown, unit: TimestampUnit | null): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return printDouble(value);
  if (typeof value === 'bigint') return unit === null ? String(value) : printTime(value, unit);
  if (typeof value === 'boolean') return String(value);
  throw new RowFault('a cell is neither a text nor a number');
}

/** The unit of the column's times; null if it has none. */
function unitOf({ type, converted_type, logical_type }: SchemaElement): TimestampUnit | null {
  if (type === 'INT96') return 'ns';
  if (converted_type === 'TIMESTAMP_MILLIS') return 'ms';
  if (converted_type === 'TIMESTAMP_MICROS') return 'us';
  if (logical_type?.type !== 'TIMESTAMP') return null;
  return { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' }[logical_type.unit] as TimestampUnit;
}

async function bufferOf(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat();
  return {
    byteLength: size,
    slice: async (start, end = size) => {
      if (start < 0 || end > size || start > end) throw new Error('it is cut short, or damaged');
      const bytes = Buffer.alloc(end - start);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
      if (bytesRead < bytes.length) throw new Error('it became shorter while it was read');
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    },
  };
}

type Inflate = (input: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

/** The codecs of this Node.js, in addition to the library's Snappy. */
const compressors = Object.fromEntries(
  (
    [
      ['GZIP', 'gunzipSync'],
      ['BROTLI', 'brotliDecompressSync'],
      ['ZSTD', 'zstdDecompressSync'],
    ] as const
  ).flatMap(([codec, method]) => {
    const inflate = (zlib as Readonly<Record<string, unknown>>)[method] as Inflate | undefined;
    if (inflate === undefined) return [];
    const decompress = (input: Uint8Array, size: number): Uint8Array =>
      size === 0 ? new Uint8Array() : inflate(input, { maxOutputLength: size });
    return [[codec, decompress]];
  }),
) as Compressors;
