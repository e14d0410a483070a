/** `seriesdb ingest`: detects the format of an input and yields its lines. */

import { parseTime, timeForms } from '../../common/model/time-text.js';
import { printTime } from '../../common/model/iso-time.js';
import {
  fromMilliseconds,
  milliseconds,
  type DatabaseTime,
  type TimestampUnit,
} from '../../common/model/timestamp-unit.js';
import { unitOfMagnitude } from '../../common/model/time-magnitude.js';
import { visible } from '../../common/model/visible-text.js';
import { CommandFailure } from '../session/failure.js';

import { TableFault } from '../../common/tables/table-fault.js';
import {
  chooseColumns,
  type ChosenColumn,
  type TableGuess,
  type TableWishes,
} from '../../common/tables/chosen-columns.js';
import { csvTextOf, firstRecords } from '../../common/tables/csv-text.js';
import { formatOfText, isArrayOfObjects } from '../../common/tables/text-format.js';
import { csvInput } from './csv-input.js';
import { expositionDialect } from './exposition-dialect.js';
import { shownName, stemOf } from './file-list.js';
import { peek, type Input } from './input.js';
import { loadFormatOfName, type LoadFormat } from './load-format.js';
import { translatedInput } from './translated-input.js';
import { RowBook } from '../../common/tables/row-book.js';

import type { Labels } from '../../client/client.js';
import type { Guessed } from './parquet-rows.js';

export interface IngestWishes {
  /** Null: detected by the extension, or by the first bytes. */
  readonly format: LoadFormat | null;
  readonly table: TableWishes;
  /** The delimiter; null: detected in the first line. */
  readonly delimiter: string | null;
  /** The time of samples without one; null: the start of the file's load. */
  readonly at: string | null;
  /** Whether the descriptors of Prometheus' text are sent to the database. */
  readonly isDescribing: boolean;
  readonly isLenient: boolean;
  readonly signal: AbortSignal;
  /** The label that distinguishes files of the same metric. */
  readonly fileLabelOf: (name: string) => Labels;
  /** Reports the detected format. */
  readonly say: (text: string) => void;
  /**
   * Gets the columns of a table, for the preview, and the number of rows they were detected from.
   */
  readonly showColumns?: (columns: readonly ChosenColumn[], judgedRows: number | null) => void;
}

interface IngestSource {
  readonly unit: () => Promise<TimestampUnit>;
  /** When the load of this input first began. */
  readonly begunMs: number;
}

/** The lines of an input. Rejects with CommandFailure if its format is unknown. */
export async function ingestLines(
  raw: Input,
  wishes: IngestWishes,
  source: IngestSource,
): Promise<Input> {
  const named = wishes.format ?? loadFormatOfName(raw.name);
  if (named === 'parquet') return tableOfParquet(raw, wishes, source);
  const { beginning, input } = await peek(raw);
  const text = beginning.toString('utf8');
  if ((named ?? 'ndjson') === 'ndjson' && isArrayOfObjects(text)) {
    throw new CommandFailure(
      `cannot read ${shownName(raw.name)}: it is a JSON array; it must have one object per line`,
    );
  }
  const format = named ?? formatOfText(text);
  if (format === 'parquet') return tableOfParquet(raw, wishes, source);
  // Everything else counts as lines, whose errors have a place.
  if (format === null || format === 'ndjson') return input;
  const told = { wishes, unit: await source.unit(), begunMs: source.begunMs };
  if (format === 'csv') return tableOfCsv(input, beginning, told);
  return dialectOf(input, { format, beginning }, told);
}

interface InputFacts {
  readonly wishes: IngestWishes;
  readonly unit: TimestampUnit;
  readonly begunMs: number;
}

function tableOfCsv(input: Input, beginning: Buffer, told: InputFacts): Input {
  const { wishes, unit } = told;
  const written = csvTextOf(beginning, wishes.delimiter);
  const { name } = input;
  const { choice, judgedRows } = namingInput(name, () => {
    const [header, ...rows] = firstRecords(beginning.toString('latin1'), written);
    if (header === undefined) throw new CommandFailure('it has no header line');
    const { delimiter } = written;
    const table = { names: header.map((cell) => cell ?? ''), rows, delimiter };
    return { choice: chooseColumns(table, guessOf(name, wishes)), judgedRows: rows.length };
  });
  const encoding = written.encoding === 'utf-8' ? '' : 'Windows-1252, ';
  tell(input, wishes, `CSV, ${encoding}${choice.words}`);
  wishes.showColumns?.(choice.columns, judgedRows);
  const { isLenient } = wishes;
  return csvInput(input, { mapping: choice.mapping, unit, isLenient }, { ...written, beginning });
}

function guessOf(name: string, wishes: IngestWishes): TableGuess {
  return { wishes: wishes.table, stem: stemOf(name), fileLabel: wishes.fileLabelOf(name) };
}

async function tableOfParquet(
  raw: Input,
  wishes: IngestWishes,
  { unit }: IngestSource,
): Promise<Input> {
  const { parquetInput } = await import('./parquet-input.js');
  const { isLenient, signal } = wishes;
  const tellWords = ({ words, columns }: Guessed): void => {
    tell(raw, wishes, `Parquet, ${words}`);
    wishes.showColumns?.(columns, null);
  };
  const options = { mapping: guessOf(raw.name, wishes), isLenient, unit: await unit() };
  return parquetInput(raw, options, { signal, tell: tellWords });
}

interface DialectText {
  readonly format: 'influx' | 'prometheus';
  readonly beginning: Buffer;
}

function dialectOf(input: Input, { format, beginning }: DialectText, told: InputFacts): Input {
  const { wishes, unit } = told;
  const { isLenient, isDescribing } = wishes;
  const at = momentOf(told);
  const timeless = `samples without a time get ${printTime(at, unit)}`;
  if (format === 'prometheus') {
    tell(input, wishes, `Prometheus text, ${timeless}`);
    return translatedInput(input, expositionDialect({ unit, at }, { isDescribing }), { isLenient });
  }
  const precision = wishes.table.precision ?? influxPrecision(beginning);
  const first = hasTimelessLine(beginning) ? `; ${timeless}` : '';
  tell(input, wishes, `line protocol, times in ${precision}${first}`);
  const rows = new RowBook({ noun: 'line', isLenient });
  return { ...input, rows, lineProtocol: { precision, at } };
}

/** Whether a line ends with a field instead of a time; only the beginning is searched. */
function hasTimelessLine(beginning: Buffer): boolean {
  const lines = beginning.toString('latin1').split('\n').slice(0, -1);
  return lines.some((line) => {
    if (/^(?:#|\s|$)/.test(line)) return false;
    const end = line.trimEnd();
    return /[^\d-]/.test(end.slice(end.lastIndexOf(' ') + 1));
  });
}

/** The unit of the first line with a time; the protocol's default if none reveals it. */
function influxPrecision(beginning: Buffer): TimestampUnit {
  const time = /^[^#\s].* (-?\d{9,})\s*$/m.exec(beginning.toString('utf8'))?.[1];
  return unitOfMagnitude(Number(time ?? 0)) ?? 'ns';
}

function momentOf({ wishes, unit, begunMs }: InputFacts): DatabaseTime {
  if (wishes.at === null) return fromMilliseconds(milliseconds(begunMs), unit);
  const time = parseTime(wishes.at, unit, begunMs);
  if (time !== null) return time;
  throw new CommandFailure(`--at must be ${timeForms}, not "${wishes.at}"`);
}

function tell({ name }: Input, { say }: IngestWishes, words: string): void {
  say(`${visible(shownName(name))}: ${visible(words)}`);
}

function namingInput<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CommandFailure || error instanceof TableFault)) throw error;
    throw new CommandFailure(`cannot read ${shownName(name)}: ${error.message}`);
  }
}
