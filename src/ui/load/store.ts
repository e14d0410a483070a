/** Loads a file into the database in batches, and counts the results. */

import { CsvReader, type SourceRow } from '../../common/tables/csv-reader.js';
import { RowBook } from '../../common/tables/row-book.js';
import { bytesAsText, openBytes, withoutMark } from './file-bytes.js';
import { kComplaintsMax, printerUnder, type LoadPlan, type PlanPrinting } from './plan.js';

import type { IngestReport } from '../../client/client.js';
import type { RowPrinter } from '../../common/tables/row-printer.js';
import type { TimeUnit } from '../zone.js';

export interface Account {
  readonly samples: number;
  /** Lines of the file that were not stored. */
  readonly refused: number;
  /** Cells that are neither numbers nor missing; the rest of their line was stored. */
  readonly cells: number;
  readonly complaints: readonly string[];
  readonly warnings: readonly string[];
  /** The position in the file, in bytes. */
  readonly position: number;
}

export const noAccount: Account = {
  ...{ samples: 0, refused: 0, cells: 0, complaints: [], warnings: [], position: 0 },
};

interface Storing {
  readonly plan: LoadPlan;
  /** The unit of the database. */
  readonly unit: TimeUnit;
  /** Stores lines, skips refused ones, and waits if the server is busy. */
  readonly send: (lines: readonly string[]) => Promise<IngestReport>;
  /** Called after each batch. */
  readonly show: (account: Account) => void;
}

/** The approximate size of a batch, in characters. */
const kBatchSize = 1024 * 1024;
/** The line limit of a batch, since skipped lines have no characters. */
const kBatchLinesMax = 65_536;

/** Rejects with the error of `send`; samples stored so far stay. */
export async function store(file: Blob, { plan, unit, send, show }: Storing): Promise<Account> {
  const { pieces, position } = await openBytes(file);
  const book = new RowBook({ noun: 'line', isLenient: true });
  const lines =
    plan.kind === 'lines'
      ? linesOf(withoutMark(pieces))
      : linesOfTable(withoutMark(pieces), { plan, unit, book });
  let account = noAccount;
  let from = 0;
  for await (const batch of batchesOf(lines)) {
    const to = from + batch.length;
    const report = await send(batch);
    account = withBatch(account, { report, book, from, to });
    account = { ...account, position: position() };
    book.forget(to);
    from = to;
    show(account);
  }
  return account;
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield [rest];
}

async function* linesOfTable(
  pieces: AsyncIterable<Uint8Array>,
  printing: PlanPrinting,
): AsyncGenerator<readonly string[]> {
  const { delimiter, encoding } = printing.plan.text;
  const reader = new CsvReader(delimiter, encoding);
  let printer: RowPrinter | null = null;
  const printed = (records: readonly SourceRow[]): readonly string[] => {
    if (records.length === 0) return [];
    const rows = printer === null ? records.slice(1) : records;
    const known = printer ?? printerUnder(records[0], printing);
    printer = known;
    return rows.map((row) => known.line(row));
  };
  for await (const piece of pieces) yield printed(reader.read(bytesAsText(piece)));
  yield printed(reader.finish());
}

async function* batchesOf(
  source: AsyncIterable<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  let size = 0;
  for await (const lines of source) {
    for (const line of lines) {
      batch.push(line);
      size += line.length;
      if (size < kBatchSize && batch.length < kBatchLinesMax) continue;
      yield batch;
      batch = [];
      size = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

interface StoredBatch {
  readonly report: IngestReport;
  readonly book: RowBook;
  /** The line numbers of the batch: after `from`, up to and including `to`. */
  readonly from: number;
  readonly to: number;
}

function withBatch(account: Account, { report, book, from, to }: StoredBatch): Account {
  const here = book.refused(from, to).map(({ line, reason, cells }) => ({ line, reason, cells }));
  const there = report.errors.map(({ line, error }) => {
    return { line: from + line, reason: error.replace(/^line \d+: /, ''), cells: 0 };
  });
  const spoiled = here.reduce((sum, { cells }) => sum + cells, 0);
  const rows = here.filter(({ cells }) => cells === 0).length;
  const complaints = [...here, ...there]
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, reason }) => `Line ${String(book.sourceOf(line))}: ${reason}`);
  return {
    samples: account.samples + report.ingested,
    refused: account.refused + report.rejected + rows,
    cells: account.cells + spoiled,
    complaints: [...account.complaints, ...complaints].slice(0, kComplaintsMax),
    warnings: [...new Set([...account.warnings, ...report.warnings])].slice(0, kComplaintsMax),
    position: account.position,
  };
}
