/** A text of another protocol as the lines that a server takes, by what a dialect says of each. */

import { CommandFailure } from '../session/failure.js';

import { shownName, type Input } from './input.js';
import { RowBook, RowRefusal } from '../../tables/row-book.js';
import { RowFault, shortened } from '../../tables/table-fault.js';
import { textLines } from './text-lines.js';

/** How one protocol writes samples. It may remember what earlier lines said. */
export interface Dialect {
  /**
   * The lines of JSON that it becomes, without newlines; none for a comment; null where it goes on
   * behind its end. Samples that no database can hold are handed to `leaveOut`. Throws RowFault.
   */
  readonly translate: (line: string, leaveOut: (what: string) => void) => readonly string[] | null;
  /** Whether this may be the last line of one that goes on; translating tells. */
  readonly closes: (line: string) => boolean;
}

/** So much of an open quote is held: what follows a quote that nobody closes is no text. */
const openSizeMax = 1024 * 1024;
const openLinesMax = 1000;
/** One that closes and opens again in each line is read from its beginning as often. */
const openReadMax = 16 * openSizeMax;
const neverClosed = 'it opens a quote that is never closed';

/** So many characters go out together. */
const pieceSize = 256 * 1024;

interface TranslationOptions {
  /** Whether lines that are refused are left out, instead of ending the load. */
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

/** Lines of which each but the last goes on behind its end. */
interface OpenLines {
  readonly lines: SourceLine[];
  size: number;
  /** How much of it was translated, all times together. */
  read: number;
}

/** The lines that were made and not yet taken. */
class Translation {
  readonly #dialect: Dialect;
  readonly #rows: RowBook;
  #text = '';
  #line = 0;
  #open: OpenLines | null = null;
  /** Lines that followed one whose quote was not closed, the last one first. */
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

  /** Nothing goes on behind here. Throws RowRefusal where a line has no end. */
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
    let fault: string | null = begun.read > openReadMax ? 'its quotes hold too many lines' : null;
    const isOpen =
      fault === null &&
      this.#isOpenAfter({ text, source: begun.lines[0]?.source ?? 0 }, (reason) => {
        fault = reason;
      });
    if (fault !== null) this.#giveUp(begun, fault);
    else if (!isOpen) this.#open = null;
  }

  /** Writes what a line becomes, unless that goes on behind its end. */
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

  /** Only the line that opened the quote is at fault; those behind it are read once more. */
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

  /** An empty line stands for it. */
  #refuse(source: number, reason: string): void {
    this.#line += 1;
    this.#rows.note(this.#line, source);
    this.#rows.refuse({ line: this.#line, reason, cells: 0 });
    this.#text += '\n';
  }
}

/** What of a line cannot be read, quoted where it stands. */
export function unread(line: string, at: number, wanted: string): RowFault {
  const rest = line.slice(at);
  const found = rest === '' ? 'it ends' : `"${shortened(rest)}" stands`;
  return new RowFault(`${found} where ${wanted} should be (column ${at + 1})`);
}
