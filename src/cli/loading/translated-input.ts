/** A text of another protocol as the lines that a server takes, by what a dialect says of each. */

import { CommandFailure } from '../session/failure.js';

import { shownName, type Input } from './input.js';
import { RowBook, RowRefusal } from './row-book.js';
import { RowFault, shortened } from './row-lines.js';
import { textLines, textLineSizeMax } from './text-lines.js';

/** How one protocol writes samples. It may remember what earlier lines said. */
export interface Dialect {
  /**
   * The lines of JSON that it becomes, without newlines; none for a comment; null where it goes on
   * behind its end. Samples that no database can hold are handed to `leaveOut`. Throws RowFault.
   */
  readonly translate: (line: string, leaveOut: (what: string) => void) => readonly string[] | null;
}

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

/** The lines that were made and not yet taken. */
class Translation {
  readonly #dialect: Dialect;
  readonly #rows: RowBook;
  #text = '';
  #line = 0;
  /** A line that goes on behind its end, and where it began. */
  #open: { readonly text: string; readonly source: number } | null = null;

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
    const begun = this.#open;
    this.#open = null;
    if (text === null) {
      this.#refuse(source, 'it is not UTF-8');
      return;
    }
    const whole = begun === null ? text : `${begun.text}\n${text}`;
    const place = begun?.source ?? source;
    try {
      const made = this.#dialect.translate(whole, (what) => {
        this.#rows.leaveOut(what);
      });
      if (made === null) this.#goOn(whole, place);
      else for (const line of made) this.#write(line, place);
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      this.#refuse(place, error.message);
    }
  }

  /** Throws RowRefusal where the last line has no end. */
  finish(): void {
    const begun = this.#open;
    if (begun !== null) this.#refuse(begun.source, 'it opens a quote that is never closed');
  }

  #goOn(text: string, source: number): void {
    if (text.length > textLineSizeMax) throw new RowFault('it opens a quote that is never closed');
    this.#open = { text, source };
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
    this.#rows.refuse({ line: this.#line, reason });
    this.#text += '\n';
  }
}

/** What of a line cannot be read, quoted where it stands. */
export function unread(line: string, at: number, wanted: string): RowFault {
  const rest = line.slice(at);
  const found = rest === '' ? 'it ends' : `"${shortened(rest)}" stands`;
  return new RowFault(`${found} where ${wanted} should be (column ${at + 1})`);
}
