/** Reads comma-separated values as lines. */

import { CsvReader, type SourceRow } from '../../common/tables/csv-reader.js';
import { RowLines, type RowLineOptions } from '../../common/tables/row-lines.js';
import { TableFault } from '../../common/tables/table-fault.js';
import { CommandFailure } from '../session/failure.js';

import { shownName } from './file-list.js';
import type { Input } from './input.js';
import { plainTableOf, sourceColumnOf } from './plain-table.js';
import { encoded, TableBatches } from './table-batches.js';
import { RowBook } from '../../common/tables/row-book.js';
import { RowPrinter } from '../../common/tables/row-printer.js';

import type { CsvText } from '../../common/tables/csv-text.js';

/** The text of a table, and the bytes at its beginning. */
interface BegunTable extends CsvText {
  readonly beginning: Buffer;
}

/**
 * The lines of the table in `raw`, with a book of its rows. If the server can read them, the rows
 * are batches of a table, too. Only one of the two may be read.
 */
export function csvInput(raw: Input, options: RowLineOptions, text: BegunTable): Input {
  const rows = new RowBook({ noun: 'line', isLenient: options.isLenient });
  const reader = new CsvReader(text.delimiter, text.encoding);
  const plain = plainTableOf(text.beginning, text, options);
  return {
    ...{ ...raw, bytes: linesOf(raw, reader, { options, rows }), rows },
    ...(plain !== null && { table: new TableBatches(plain, raw, rows) }),
  };
}

interface CsvTarget {
  readonly options: RowLineOptions;
  readonly rows: RowBook;
}

async function* linesOf(
  raw: Input,
  reader: CsvReader,
  { options, rows }: CsvTarget,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  let printer: RowPrinter | null = null;
  try {
    for await (const records of recordsOf(raw, reader)) {
      const [first] = records;
      if (printer !== null || first === undefined) {
        if (printer !== null) yield* encoded(printer.print(records));
        continue;
      }
      printer = new RowPrinter(linesUnder(first, options), rows);
      yield* encoded(printer.print(records.slice(1)));
    }
    if (printer === null) throw new CommandFailure('it has no header line');
  } catch (error) {
    if (!(error instanceof CommandFailure || error instanceof TableFault)) throw error;
    // The source has already named the file in this error.
    if (error.message.startsWith('cannot read ')) throw error;
    throw new CommandFailure(`cannot read ${shownName(raw.name)}: ${error.message}`);
  }
}

async function* recordsOf(raw: Input, reader: CsvReader): AsyncGenerator<readonly SourceRow[]> {
  for await (const piece of raw.bytes) yield reader.read(piece.toString('latin1'));
  yield reader.finish();
}

/** Builds the lines of the rows below this header. */
function linesUnder({ cells, fault, source }: SourceRow, options: RowLineOptions): RowLines {
  if (fault !== null) throw new CommandFailure(`line ${String(source)}: ${fault}`);
  const columns = cells.map((cell) => sourceColumnOf(cell ?? ''));
  return new RowLines(columns, options.mapping, options.unit);
}
