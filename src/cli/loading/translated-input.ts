/** Translates another protocol's text to ingest lines, with a dialect. */

import { CommandFailure } from '../session/failure.js';

import { shownName, type Input } from './input.js';
import { RowBook, RowRefusal } from '../../common/tables/row-book.js';
import { RowFault, shortened } from '../../common/tables/table-fault.js';
import { textLines } from './text-lines.js';

/** The syntax of one protocol. It may keep state of earlier lines. */
export interface Dialect {
  /**
   * The lines of JSON that it becomes, without newlines; none for a comment; null where it goes on
   * behind its end. Samples that no database can hold are handed to `leaveOut`. Throws RowFault.
   */
  readonly translate: (line: string, leaveOut: (what: string) => void) => readonly string[] | null;
  /** Whether this may be the last line of a continued one; translation decides. */
  readonly closes: (line: string) => boolean;
}

/** Maximum held text of an open quote: after an unclosed quote the text is not a value. */
const openSizeMax = 1024 * 1024;
const openLinesMax = 1000;
/** A quote that closes and reopens in each line is read again as often. */
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
  return { ...raw, bytes: linesOf(raw, new Translation(dialect, rows)), rows };
}

async function* linesOf(raw: Input, translation: Translation): AsyncGenerator<Buffer<ArrayBuffer>> {
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

/** Lines that each continue behind their end, except the last. */
interface OpenLines {
  readonly lines: SourceLine[];
  size: number;
  /** Translated characters, counting repetitions. */
  read: number;
}

/** Finished lines that were not taken yet. */
class Translation {
  readonly #dialect: Dialect;
  readonly #rows: RowBook;
  #text = '';
  #line = 0;
  #open: OpenLines | null = null;
  /** Lines after one with an unclosed quote, last one first. */
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

  /** Null is a line that is not UTF-8. Throws RowRefusal. */
  add(text: string | null, source: number): void {
    if (text === null) {
      this.finish();
      this.#refuse(source, 'it is not UTF-8');
      return;
    }
    this.#read({ text, source });
    this.#readAgain();
  }

  /** The end of the input. Throws RowRefusal if a line has no end. */
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

  /** Translates it from its beginning; it may be open again. */
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

  /** Writes the translation of a line, unless it continues. */
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

  /** Replaced by an empty line. */
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
