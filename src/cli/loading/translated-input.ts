/** Translates another protocol's text to ingest lines, with a dialect. */

import { CommandFailure } from '../session/failure.js';

import { shownName } from './file-list.js';
import type { Input } from './input.js';
import { RowBook, RowRefusal } from '../../common/tables/row-book.js';
import { RowFault, shortened } from '../../common/tables/table-fault.js';
import { textLines } from './text-lines.js';

/** The syntax of one protocol. It may keep state of earlier lines. */
export interface Dialect {
  /**
   * The JSON lines of a source line, without newlines. Empty for a comment. `leaveOut` gets samples
   * that no database can store. Throws RowFault.
   */
  readonly translate: (line: string, leaveOut: (what: string) => void) => readonly string[];
}

/** Characters per output piece. */
const pieceSize = 256 * 1024;

interface TranslationOptions {
  /** Whether refused lines are skipped instead of ending the load. */
  readonly isLenient: boolean;
}

export function translatedInput(
  raw: Input,
  dialect: Dialect,
  { isLenient }: TranslationOptions,
): Input {
  const rows = new RowBook({ noun: 'line', isLenient });
  return { ...raw, bytes: linesOf(raw, new InputTranslation(dialect, rows)), rows };
}

async function* linesOf(
  raw: Input,
  translation: InputTranslation,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  try {
    for await (const lines of textLines(raw.bytes)) {
      for (const { text, source } of lines) {
        translation.add(text, source);
        if (translation.size >= pieceSize) yield translation.take();
      }
      if (translation.size > 0) yield translation.take();
    }
  } catch (error) {
    if (error instanceof RowRefusal && translation.size > 0) yield translation.take();
    if (!(error instanceof CommandFailure) || error.message.startsWith('cannot read ')) throw error;
    throw new CommandFailure(`cannot read ${shownName(raw.name)}: ${error.message}`);
  }
}

/** Translates lines, and holds the results until take(). */
class InputTranslation {
  readonly #dialect: Dialect;
  readonly #rows: RowBook;
  #text = '';
  #line = 0;

  constructor(dialect: Dialect, rows: RowBook) {
    this.#dialect = dialect;
    this.#rows = rows;
  }

  get size(): number {
    return this.#text.length;
  }

  take(): Buffer<ArrayBuffer> {
    const piece = Buffer.from(this.#text);
    this.#text = '';
    return piece;
  }

  /** `text` is null for a line that is not UTF-8. Throws RowRefusal. */
  add(text: string | null, source: number): void {
    if (text === null) {
      this.#refuse(source, 'it is not UTF-8');
      return;
    }
    try {
      const made = this.#dialect.translate(text, (what) => {
        this.#rows.leaveOut(what);
      });
      for (const line of made) this.#write(line, source);
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      this.#refuse(source, error.message);
    }
  }

  #write(line: string, source: number): void {
    this.#line += 1;
    this.#rows.note(this.#line, source);
    this.#text += `${line}\n`;
  }

  /** Writes an empty line in place of the refused one. */
  #refuse(source: number, reason: string): void {
    this.#line += 1;
    this.#rows.note(this.#line, source);
    this.#rows.refuse({ line: this.#line, reason, cells: 0 });
    this.#text += '\n';
  }
}

/** An error with the unreadable rest of a line, quoted. */
export function unread(line: string, at: number, wanted: string): RowFault {
  const rest = line.slice(at);
  const found = rest === '' ? 'it ends' : `found "${shortened(rest)}"`;
  return new RowFault(`${found} where ${wanted} should be (column ${at + 1})`);
}
