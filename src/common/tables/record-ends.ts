/**
 * Finds the ends of comma-separated records in bytes, without reading their cells: newlines outside
 * quotes, by the rules of CsvReader and of native/ingest/csv/cells.h. Takes linear time for any
 * bytes.
 */

const [newline, quote, comma] = [0x0a, 0x22, 0x2c];

/** The position within a record. A quote is special only at the start of a cell. */
const place = { start: 0, plain: 1, quoted: 2, quoteInQuoted: 3 } as const;

export class RecordEnds {
  #place: number = place.start;

  /** The offset after the last end in the next piece of a text; 0 without an end. */
  last(piece: Uint8Array): number {
    if (this.#place === place.quoted || piece.includes(quote)) return this.#scan(piece).end;
    const last = piece.at(-1);
    if (last !== undefined) this.#place = placeAfter(place.plain, last);
    return piece.lastIndexOf(newline) + 1;
  }

  /** The offset after the first `count` ends in the next piece; 0 without an end. */
  first(piece: Uint8Array, count = 1): number {
    return this.#scan(piece, count).end;
  }

  /** The number of ends in the next piece. */
  count(piece: Uint8Array): number {
    return this.#scan(piece).count;
  }

  /** Stops after `countMax` ends. */
  #scan(piece: Uint8Array, countMax = Infinity): { readonly end: number; readonly count: number } {
    let now = this.#place;
    let [end, count] = [0, 0];
    for (let at = 0; at < piece.length && count < countMax; at += 1) {
      const byte = piece[at] ?? 0;
      if (byte === newline && now !== place.quoted) {
        end = at + 1;
        count += 1;
      }
      now = placeAfter(now, byte);
    }
    this.#place = now;
    return { end, count };
  }
}

function placeAfter(now: number, byte: number): number {
  if (now === place.quoted) return byte === quote ? place.quoteInQuoted : place.quoted;
  if (byte === quote) return now === place.plain ? place.plain : place.quoted;
  return byte === comma || byte === newline ? place.start : place.plain;
}
