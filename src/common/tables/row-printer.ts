/** Prints rows as lines and records each line in the row book. */

import { NoSuchTime, type LocalTimes } from './local-times.js';
import { RowRefusal, type Remark, type RowBook } from './row-book.js';
import { RowFault, shortened, TableFault } from './table-fault.js';

import type { SourceRow } from './csv-reader.js';
import type { MissingCells, RowLines, SpoiledCell } from './row-lines.js';

/** The size of a piece, in characters. */
const pieceSize = 256 * 1024;
/** The most rows in a piece. Refused rows are empty lines, which hardly fill a piece. */
const pieceRowsMax = 8_192;

export class RowPrinter {
  readonly #lines: RowLines;
  readonly #rows: RowBook;
  #line = 0;

  constructor(lines: RowLines, rows: RowBook) {
    this.#lines = lines;
    this.#rows = rows;
    const { localTimes } = lines;
    if (localTimes !== null) rows.remark(() => remarkOn(localTimes));
    rows.remark(() => remarkOnMissing(lines.missing));
  }

  /** Continues after this line. */
  startAfter(line: number): void {
    this.#line = line;
  }

  /** Throws RowRefusal after it has yielded all lines before the refused row. */
  *print(records: Iterable<SourceRow>): Generator<string> {
    let text = '';
    let rows = 0;
    try {
      for (const record of records) {
        text += this.line(record);
        rows += 1;
        if (text.length < pieceSize && rows < pieceRowsMax) continue;
        yield text;
        text = '';
        rows = 0;
      }
    } catch (error) {
      if (error instanceof RowRefusal && text !== '') yield text;
      throw error;
    }
    if (text !== '') yield text;
  }

  /** The record's line, or an empty line for a refused row. Throws RowRefusal. */
  line({ cells, source, fault }: SourceRow): string {
    this.#line += 1;
    this.#rows.note(this.#line, source);
    try {
      if (fault !== null) throw new RowFault(fault);
      const line = this.#lines.line(cells, source);
      this.#noteSpoiled(this.#lines.spoiled);
      return line;
    } catch (error) {
      const reason = error instanceof Error ? error.message : '';
      // A table fault concerns all later rows, too.
      if (error instanceof TableFault) throw new RowRefusal({ line: this.#line, reason });
      if (!(error instanceof RowFault)) throw error;
      // This fault does not end the load. A time moved out of the gap would overwrite a correct
      // row.
      if (error instanceof NoSuchTime && !this.#rows.isLenient) {
        this.#rows.leaveOut(`local times that do not exist in ${error.zone}`, source);
        return '\n';
      }
      this.#rows.refuse({ line: this.#line, reason, cells: 0 });
      return '\n';
    }
  }

  #noteSpoiled(spoiled: readonly SpoiledCell[]): void {
    const [first, ...more] = spoiled;
    if (first === undefined) return;
    const rest = more.length === 0 ? '' : `, nor are ${String(more.length)} more cells`;
    const reason = `"${shortened(first.text)}" in column "${first.column}" is not a number${rest}`;
    if (!this.#rows.isLenient) {
      const word = /^[\w#][\w#./-]*$/.test(first.text) ? first.text : "'…'";
      const hint = `--null ${word} treats it as missing, --on-error skip skips it`;
      throw new RowRefusal({ line: this.#line, reason: `${reason}; ${hint}` });
    }
    this.#rows.refuse({ line: this.#line, reason, cells: spoiled.length });
  }
}

function remarkOnMissing({ count, row }: MissingCells): Remark | null {
  if (count === 0) return null;
  const cells = count === 1 ? '1 cell has' : `${count.toLocaleString('en')} cells have`;
  return { text: `${cells} a word for a missing number, such as n/a`, row };
}

/** Returns null if the row order settled every time. */
function remarkOn({ ambiguity: { count, row }, zone }: LocalTimes): Remark | null {
  if (count === 0) return null;
  const times =
    count === 1 ? '1 local time comes' : `${count.toLocaleString('en')} local times come`;
  return { text: `${times} twice in ${zone} and may be the second; taken for the first`, row };
}
