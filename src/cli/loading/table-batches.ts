/**
 * Batches of a table: rows as they are in the file, for the server's parser. A batch that the
 * server refuses becomes lines instead, so that reports, counts and skipped cells have one origin.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';

import { CsvReader } from '../../common/tables/csv-reader.js';
import { RecordEnds } from '../../common/tables/record-ends.js';
import { RowPrinter } from '../../common/tables/row-printer.js';
import { TableFault } from '../../common/tables/table-fault.js';
import { CommandFailure } from '../session/failure.js';

import { lineBatches, type BatchRules, type InputPlace, type LineBatch } from './line-batches.js';
import { countNewlines, lineSizeMax, recordEnds } from './line-ends.js';
import { shownName } from './file-list.js';

import type { TableForm } from '../../common/model/table-columns.js';
import type { TextsOfLabels } from '../../common/tables/guessed-labels.js';
import type { SourceRow } from '../../common/tables/csv-reader.js';
import type { RowBook } from '../../common/tables/row-book.js';
import type { PlainTable } from './plain-table.js';

/** After so many refused batches in a row, the rest of the file is not offered to the server. */
const refusedMax = 3;
/** The bytes that are read at once. */
const pieceSize = 1024 * 1024;

const byteOrderMark = Buffer.from('\ufeff');

interface TableFile {
  readonly name: string;
  readonly bytes: AsyncIterable<Buffer>;
}

export class TableBatches {
  /** The bytes of the file. */
  readonly bytes: AsyncIterable<Buffer>;
  readonly form: TableForm;
  readonly #table: PlainTable;
  readonly #name: string;
  readonly #rows: RowBook;
  #printer: RowPrinter | null = null;
  /** Reads the rows that an earlier run loaded. */
  #skipping: CsvReader | null = null;
  /** The file's lines before the next batch. */
  #linesBefore: number;
  #refused = 0;
  /** The last rows that the server stored, and the file's lines before them. */
  #stored: { readonly part: LineBatch; readonly linesBefore: number } | null = null;

  constructor(table: PlainTable, { name, bytes }: TableFile, rows: RowBook) {
    this.bytes = bytes;
    this.form = table.form;
    this.#table = table;
    this.#name = name;
    this.#rows = rows;
    this.#linesBefore = table.headLines;
  }

  /** Differs between loads that give the same rows another meaning. */
  get key(): string {
    return JSON.stringify(this.form);
  }

  /** Made late: it adds its remarks to the book. */
  get #rowPrinter(): RowPrinter {
    return (this.#printer ??= new RowPrinter(this.#table.lines, this.#rows));
  }

  /** False once the server has refused too many batches. */
  get isOffering(): boolean {
    return this.#refused < refusedMax;
  }

  /** Reads bytes that an earlier run loaded: texts of labels and remarks depend on all rows. */
  skip(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#skipping ??= new CsvReader(',');
    this.#skipRows(this.#skipping.read(bytes.toString('latin1')));
  }

  #skipRows(records: readonly SourceRow[]): void {
    for (const record of records) {
      // The header is a record, too.
      if (record.source > this.#table.headLines) this.#rowPrinter.line(record);
    }
    this.#rows.forget(Number.MAX_SAFE_INTEGER);
  }

  /** The batches after a place of the file, where `bytes` begin. */
  async *batches(
    bytes: AsyncIterable<Buffer>,
    from: InputPlace,
    size: number,
  ): AsyncGenerator<LineBatch> {
    const { headSize } = this.#table;
    if (this.#skipping !== null) {
      this.#skipRows(this.#skipping.finish());
      this.#linesBefore = this.#skipping.line - 1;
    }
    const isWhole = from.offset === 0;
    const rows = isWhole ? withoutBytes(bytes, headSize) : bytes;
    const start = isWhole ? { offset: headSize, line: 0 } : from;
    yield* lineBatches(rows, start, {
      ...{ bytes: size, lines: Number.POSITIVE_INFINITY, ends: recordEnds, givesLong: true },
    });
  }

  /** Whether the server may read the batch, and then the texts that it would add to labels. */
  offer({ bytes }: LineBatch): TextsOfLabels | null {
    const { lines } = this.#table;
    // The server ignores the mark at the beginning of each line.
    if (!this.isOffering || bytes.length > lineSizeMax || bytes.includes(byteOrderMark))
      return null;
    const { guessedLabels } = lines;
    if (guessedLabels.know(bytes)) return [];
    try {
      const found = guessedLabels.newIn(this.#rowsWithValues(bytes));
      return guessedLabels.hasRoomFor(found) ? found : null;
    } catch (error) {
      if (error instanceof TableFault) return null;
      throw error;
    }
  }

  *#rowsWithValues(bytes: Buffer) {
    const { lines } = this.#table;
    for (const { cells } of recordsOf(bytes, new CsvReader(','))) {
      if (lines.hasValue(cells)) yield cells;
    }
  }

  /** The server has stored the batch, or this part of it. `texts` are those of the batch. */
  accept(part: LineBatch, batch: LineBatch, texts: TextsOfLabels): void {
    const { guessedLabels } = this.#table.lines;
    const isNew = texts.some(({ size }) => size > 0);
    if (isNew && part !== batch) {
      guessedLabels.learn(guessedLabels.newIn(this.#rowsWithValues(part.bytes)));
    } else guessedLabels.learn(texts);
    this.#stored = { part, linesBefore: this.#linesBefore };
    this.#pass(part);
    if (part.to.offset === batch.to.offset) this.#refused = 0;
  }

  /** The server has refused a batch. */
  refuse(): void {
    this.#refused += 1;
  }

  /** The lines of the rows of these batches. All but the last of a batch are parts of it. */
  async *lines(
    batches: AsyncIterable<LineBatch> | Iterable<LineBatch>,
    rules: BatchRules,
  ): AsyncGenerator<LineBatch> {
    for await (const batch of batches) {
      let held: LineBatch | null = null;
      try {
        for await (const part of lineBatches(this.#printed(batch), batch.from, rules)) {
          if (held !== null) yield { ...held, isPart: true };
          held = part;
        }
      } catch (error) {
        if (held !== null) yield { ...held, isPart: true };
        throw error;
      }
      if (held !== null) yield { ...held, to: batch.to, isPart: false };
    }
  }

  async *#printed(batch: LineBatch): AsyncGenerator<Buffer<ArrayBuffer>> {
    const reader = new CsvReader(',', 'utf-8', this.#linesBefore + 1);
    this.#noteStored();
    this.#rowPrinter.startAfter(batch.from.line);
    try {
      for await (const piece of piecesOf(batch.bytes)) {
        yield* encoded(this.#rowPrinter.print(reader.read(piece)));
      }
      yield* encoded(this.#rowPrinter.print(reader.finish()));
    } catch (error) {
      throw this.#named(error);
    }
    this.#pass(batch);
  }

  #named(error: unknown): unknown {
    if (!(error instanceof TableFault)) return error;
    return new CommandFailure(`cannot read ${shownName(this.#name)}: ${error.message}`);
  }

  /** Notes the place of the last stored row: an error of the next one names it. */
  #noteStored(): void {
    if (this.#stored === null) return;
    const { part, linesBefore } = this.#stored;
    const before = new RecordEnds().first(part.bytes, part.lineCount - 1);
    const source = linesBefore + countNewlines(part.bytes.subarray(0, before)) + 1;
    this.#rows.note(part.to.line, source);
    this.#stored = null;
  }

  #pass({ bytes, lineCount }: LineBatch): void {
    this.#linesBefore += bytes.includes('"') ? countNewlines(bytes) : lineCount;
  }
}

/** As texts whose characters are bytes. Other work may go on between them. */
async function* piecesOf(bytes: Buffer): AsyncGenerator<string> {
  for (let at = 0; at < bytes.length; at += pieceSize) {
    yield bytes.toString('latin1', at, Math.min(at + pieceSize, bytes.length));
    await nextTurn();
  }
}

function* recordsOf(bytes: Buffer, reader: CsvReader): Generator<SourceRow> {
  yield* reader.read(bytes.toString('latin1'));
  yield* reader.finish();
}

/** Without so many bytes at the beginning. */
async function* withoutBytes(bytes: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let left = size;
  for await (const piece of bytes) {
    if (left < piece.length) yield piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
}

export function* encoded(texts: Iterable<string>): Generator<Buffer<ArrayBuffer>> {
  for (const text of texts) yield Buffer.from(text);
}
