/** Translates another protocol's text to ingest lines, with a dialect. */

import { CommandFailure } from '../session/failure.js';

import { shownName, type Input } from './input.js';
import { RowBook, RowRefusal } from '../../common/tables/row-book.js';
import { RowFault, shortened } from '../../common/tables/table-fault.js';
import { textLines } from './text-lines.js';

/** The syntax of one protocol. It may keep state of earlier lines. */
export interface Dialect {
  /**
   * The JSON lines of a source line, without newlines. Empty for a comment; null if the line
   * continues in the next one. `leaveOut` gets samples that no database can store. Throws RowFault.
   */
  readonly translate: (line: string, leaveOut: (what: string) => void) => readonly string[] | null;
  /** Whether this may be the last line of a continued one; only translate() decides. */
  readonly closes: (line: string) => boolean;
}

/**
 * The most text held in an open quote. A longer text is not a value: the quote was never closed.
 */
const openSizeMax = 1024 * 1024;
const openLinesMax = 1000;
/** The most text that is translated again, since a quote may close and reopen in each line. */
const openReadMax = 16 * openSizeMax;
const neverClosed = 'it opens a quote that is never closed';

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
    translation.finish();
    if (translation.size > 0) yield translation.take();
  } catch (error) {
    if (error instanceof RowRefusal && translation.size > 0) yield translation.take();
    if (!(error instanceof CommandFailure) || error.message.startsWith('cannot read ')) throw error;
    throw new CommandFailure(`cannot read ${shownName(raw.name)}: ${error.message}`);
  }
}

interface SourceLine {
  readonly text: string;
  readonly source: number;
}

/** Lines that continue in the next one, except perhaps the last. */
interface OpenLines {
  readonly lines: SourceLine[];
  size: number;
  /** Translated characters, counting repetitions. */
  read: number;
}

/** Translates lines, and holds the results until take(). */
class InputTranslation {
  readonly #dialect: Dialect;
  readonly #rows: RowBook;
  #text = '';
  #line = 0;
  #open: OpenLines | null = null;
  /** Lines after an unclosed quote that must be read again, last one first. */
  #again: SourceLine[] = [];

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
      this.finish();
      this.#refuse(source, 'it is not UTF-8');
      return;
    }
    this.#read({ text, source });
    this.#readAgain();
  }

  /** Call it at the end of the input. Throws RowRefusal if a quote is not closed. */
  finish(): void {
    for (let begun = this.#open; begun !== null; begun = this.#open) {
      this.#giveUp(begun, neverClosed);
      this.#readAgain();
    }
  }

  #readAgain(): void {
    for (let line = this.#again.pop(); line !== undefined; line = this.#again.pop()) {
      this.#read(line);
    }
  }

  #read(line: SourceLine): void {
    const begun = this.#open;
    if (begun === null) {
      const isOpen = this.#isOpenAfter(line, (reason) => {
        this.#refuse(line.source, reason);
      });
      if (isOpen) this.#goOn({ lines: [], size: 0, read: 0 }, line);
      return;
    }
    this.#goOn(begun, line);
    if (this.#open !== null && this.#dialect.closes(line.text)) this.#close(begun);
  }

  /** Translates the held lines from the first; the text may still be open. */
  #close(begun: OpenLines): void {
    begun.read += begun.size;
    const text = begun.lines.map((line) => line.text).join('\n');
    let fault: string | null = begun.read > openReadMax ? 'a quoted cell has too many lines' : null;
    const isOpen =
      fault === null &&
      this.#isOpenAfter({ text, source: begun.lines[0]?.source ?? 0 }, (reason) => {
        fault = reason;
      });
    if (fault !== null) this.#giveUp(begun, fault);
    else if (!isOpen) this.#open = null;
  }

  /** Writes the translation of a line. True: the line continues in the next one. */
  #isOpenAfter({ text, source }: SourceLine, refuse: (reason: string) => void): boolean {
    try {
      const made = this.#dialect.translate(text, (what) => {
        this.#rows.leaveOut(what);
      });
      for (const line of made ?? []) this.#write(line, source);
      return made === null;
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      refuse(error.message);
      return false;
    }
  }

  #goOn(begun: OpenLines, line: SourceLine): void {
    begun.lines.push(line);
    begun.size += line.text.length + 1;
    this.#open = begun;
    const isTooLong = begun.size > openSizeMax || begun.lines.length > openLinesMax;
    if (isTooLong) this.#giveUp(begun, neverClosed);
  }

  /** Only the line that opened the quote is at fault; the following ones are read again. */
  #giveUp({ lines: [first, ...others] }: OpenLines, reason: string): void {
    this.#open = null;
    this.#again.push(...others.reverse());
    if (first !== undefined) this.#refuse(first.source, reason);
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
