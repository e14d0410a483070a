/**
 * Tells whether all label cells of rows are known texts. Text without quotes has its cells between
 * commas and newlines. So this is no reader of CSV: text with a quote is for CsvReader. It takes a
 * nanosecond a byte, where records of CsvReader take ten.
 */

const [newline, carriageReturn, comma] = [0x0a, 0x0d, 0x2c];

/** A power of two. Labels have at most a quarter as many texts. */
const slotCount = 4096;

/** The texts of a column. */
class KnownCellTexts {
  readonly #texts: Uint8Array[] = [];
  /** The index of a text plus one, at the place of its hash or after it; 0 is free. */
  readonly #slots = new Uint16Array(slotCount);

  /** REQUIRES: the text is new, and there are at most a quarter of `slotCount` texts. */
  add(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.#texts.push(bytes);
    let slot = hashOf(bytes, 0, bytes.length);
    while (this.#slots[slot] !== 0) slot = (slot + 1) % slotCount;
    this.#slots[slot] = this.#texts.length;
  }

  /** Whether the text of these bytes is known. */
  has(bytes: Uint8Array, start: number, end: number): boolean {
    for (let slot = hashOf(bytes, start, end); ; slot = (slot + 1) % slotCount) {
      const index = this.#slots[slot] ?? 0;
      if (index === 0) return false;
      const text = this.#texts[index - 1];
      if (text?.length === end - start && isAt(text, bytes, start)) return true;
    }
  }
}

export class KnownCells {
  /** The label columns, ascending. */
  readonly #columns: readonly number[];
  readonly #known: readonly KnownCellTexts[];

  constructor(columns: readonly number[]) {
    this.#columns = columns;
    this.#known = columns.map(() => new KnownCellTexts());
  }

  /** As `KnownCellTexts.add`. */
  add(column: number, text: string): void {
    this.#known[this.#columns.indexOf(column)]?.add(text);
  }

  /** Whether each label of these rows is empty or known. REQUIRES: no quotes. */
  hasAll(rows: Uint8Array): boolean {
    const end = rows.length;
    for (let at = 0; at < end; at += 1) {
      let column = 0;
      for (let index = 0; index < this.#columns.length; index += 1) {
        const wanted = this.#columns[index] ?? 0;
        for (; column < wanted && at < end && rows[at] !== newline; at += 1) {
          if (rows[at] === comma) column += 1;
        }
        if (column < wanted) break;
        const start = at;
        while (at < end && rows[at] !== comma && rows[at] !== newline) at += 1;
        const isReturn = rows[at] !== comma && rows[at - 1] === carriageReturn;
        const size = at - start - (isReturn && at > start ? 1 : 0);
        const isKnown = size === 0 || this.#known[index]?.has(rows, start, start + size);
        if (isKnown !== true) return false;
      }
      while (at < end && rows[at] !== newline) at += 1;
    }
    return true;
  }
}

function isAt(text: Uint8Array, rows: Uint8Array, start: number): boolean {
  for (let at = 0; at < text.length; at += 1) if (text[at] !== rows[start + at]) return false;
  return true;
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
  return (hash ^ (hash >>> 16)) & (slotCount - 1);
}
