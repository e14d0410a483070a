/**
 * Where the lines of a text end. A line of line protocol ends at a newline outside quoted texts, by
 * the rules of native/ingest/line_protocol/line_end.h.
 */

import { RecordEnds } from '../../common/tables/record-ends.js';

const newline = 10;
const quote = 34;

/**
 * The largest line: no server takes a longer one, and a file without newlines must not fill memory.
 */
export const lineSizeMax = 64 * 1024 * 1024;

/** Whole lines, or an unfinished end of the source. */
interface LinePiece {
  readonly bytes: Buffer;
  /** True for a single line that opened a quote which is never closed. It became a comment. */
  readonly isUnclosed: boolean;
}

export interface LineEnds {
  readonly pieces: (source: AsyncIterable<Buffer>) => AsyncIterable<LinePiece>;
  /**
   * The offset after the last line that ends within `wanted` bytes, else after the first line; 0 if
   * no line ends. `bytes` begin with a line, or in it if every newline ends a line.
   */
  readonly within: (bytes: Buffer, wanted: number) => number;
  /** The number of lines that end in these whole lines. */
  readonly count: (bytes: Buffer) => number;
}

export function countNewlines(bytes: Buffer): number {
  let count = 0;
  // For lines of up to a hundred bytes, a call to search each newline takes longer.
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === newline) count += 1;
  return count;
}

export const plainEnds: LineEnds = {
  pieces: async function* (source) {
    for await (const bytes of source) yield { bytes, isUnclosed: false };
  },
  within: (bytes, wanted) => lastEnd(bytes, wanted) || firstEnd(bytes, Math.max(wanted, 0)),
  count: countNewlines,
};

export const quotedEnds: LineEnds = {
  ...{ pieces: quotedPieces, within: quotedWithin, count: countNewlines },
};

/** Records of CSV count as lines. */
export const recordEnds: LineEnds = {
  pieces: recordPieces,
  within: (bytes, wanted) => {
    const ends = new RecordEnds();
    const size = Math.max(wanted, 0);
    const end = ends.last(bytes.subarray(0, size));
    if (end > 0) return end;
    const after = ends.first(bytes.subarray(size));
    return after > 0 ? Math.min(size, bytes.length) + after : 0;
  },
  count: (bytes) => (bytes.includes(quote) ? new RecordEnds().count(bytes) : countNewlines(bytes)),
};

async function* recordPieces(source: AsyncIterable<Buffer>): AsyncGenerator<LinePiece> {
  const ends = new RecordEnds();
  let parts: Buffer[] = [];
  let size = 0;
  for await (const piece of source) {
    const end = ends.last(piece);
    size = end > 0 ? piece.length - end : size + piece.length;
    if (end > 0) {
      parts.push(piece.subarray(0, end));
      const bytes = parts.length === 1 ? (parts[0] ?? piece) : Buffer.concat(parts);
      yield { bytes, isUnclosed: false };
      parts = [];
    }
    if (end < piece.length) parts.push(piece.subarray(end));
    if (size > lineSizeMax) {
      yield { bytes: Buffer.concat(parts), isUnclosed: false };
      parts = [];
      size = 0;
    }
  }
  if (parts.length > 0) yield { bytes: Buffer.concat(parts), isUnclosed: false };
}

/** After the last newline within `wanted` bytes; 0 without one. */
function lastEnd(bytes: Buffer, wanted: number): number {
  return wanted > 0 ? bytes.lastIndexOf(newline, wanted - 1) + 1 : 0;
}

function firstEnd(bytes: Buffer, from: number): number {
  return bytes.indexOf(newline, from) + 1;
}

/** The size of an open text from which it is scanned again only once it has doubled. */
const rescannedSizeMax = 4096;

async function* quotedPieces(source: AsyncIterable<Buffer>): AsyncGenerator<LinePiece> {
  let parts: Buffer[] = [];
  let size = 0;
  let sizeWanted = 0;
  let hasNewline = false;
  for await (const piece of source) {
    parts.push(piece);
    size += piece.length;
    hasNewline ||= piece.includes(newline);
    // Without a newline, no line ends here.
    if ((!hasNewline || size < sizeWanted) && size <= lineSizeMax) continue;
    let rest = yield* wholeLines(parts.length === 1 ? piece : Buffer.concat(parts));
    if (rest.length > lineSizeMax) {
      yield { bytes: rest, isUnclosed: false };
      rest = rest.subarray(rest.length);
    }
    parts = rest.length > 0 ? [rest] : [];
    size = rest.length;
    sizeWanted = size > rescannedSizeMax && rest.includes(newline) ? 2 * size : 0;
    hasNewline = false;
  }
  if (size > 0) yield* lastLines(Buffer.concat(parts));
}

/** The end of the source, whose last line needs no newline. */
function* lastLines(bytes: Buffer): Generator<LinePiece> {
  const isEnded = bytes.at(-1) === newline;
  const ended = isEnded ? bytes : Buffer.concat([bytes, Buffer.of(newline)]);
  let left = bytes.length;
  for (const { bytes: lines, isUnclosed } of piecesOf(new LineScan(ended, { isLast: true }))) {
    const given = lines.subarray(0, left);
    left -= given.length;
    yield { bytes: given, isUnclosed };
  }
}

/** Returns the unfinished rest. */
function* wholeLines(bytes: Buffer): Generator<LinePiece, Buffer> {
  let size = 0;
  for (const piece of piecesOf(new LineScan(bytes))) {
    size += piece.bytes.length;
    yield piece;
  }
  return bytes.subarray(size);
}

function* piecesOf(scan: LineScan): Generator<LinePiece> {
  const { bytes } = scan;
  let from = 0;
  for (let at = 0; ;) {
    const next = endAfter(scan, at, bytes.length);
    if (next > 0) {
      at = next;
      continue;
    }
    if (at > from) yield { bytes: bytes.subarray(from, at), isUnclosed: false };
    if (next !== unclosed) return;
    const line = commentOf(bytes.subarray(at));
    yield { bytes: line, isUnclosed: true };
    at += line.length;
    from = at;
  }
}

/** The first line as a comment of the same size. */
function commentOf(bytes: Buffer): Buffer {
  const line = Buffer.from(bytes.subarray(0, firstEnd(bytes, 0)));
  line.write('#');
  return line;
}

function quotedWithin(bytes: Buffer, wanted: number): number {
  const scan = new LineScan(bytes);
  let end = 0;
  for (;;) {
    const next = endAfter(scan, end, wanted);
    if (next <= 0) return end;
    if (next > wanted) return end > 0 ? end : next;
    end = next;
  }
}

const unfinished = 0;
const unclosed = -1;

/**
 * The end of some lines from `at` on: of the last within `wanted` bytes before a line with a quote,
 * else of the first line. 0 if the first line is unfinished, -1 if its quote is never closed.
 */
function endAfter(scan: LineScan, at: number, wanted: number): number {
  const { bytes } = scan;
  const quoted = bytes.indexOf(quote, at);
  const plainEnd = quoted < 0 ? bytes.length : Math.max(at, lastEnd(bytes, quoted));
  if (plainEnd > at) {
    const last = lastEnd(bytes, Math.min(plainEnd, wanted));
    return last > at ? last : firstEnd(bytes, at);
  }
  return quoted < 0 ? unfinished : scan.endOf(at);
}

/** The longest line with a newline in a quoted text. A longer text was never closed. */
const openSizeMax = 1024 * 1024;
const openNewlinesMax = 1000;

/** The place within a line. Quotes are special only at the start of a field's value. */
const place = {
  ...{ start: 0, comment: 1, head: 2, headEscape: 3, key: 4, keyEscape: 5 },
  ...{ valueStart: 6, value: 7, string: 8, stringEscape: 9, stringEnd: 10, tail: 11 },
} as const;

const [tab, carriageReturn, blank, hash, comma, minus] = [9, 13, 32, 35, 44, 45];
const [equals, backslash] = [61, 92];

/**
 * Scans lines with quotes, each from a later place. If a line's text reaches a newline that an
 * earlier line's text contained, both see the same bytes from there on. So the scan continues where
 * the earlier one stopped, and no byte is scanned more than twice.
 */
class LineScan {
  readonly bytes: Buffer;
  readonly #isLast: boolean;
  /** The newlines that the furthest scan passed, in ascending order, from `#first` on. */
  #passed: number[] = [];
  #first = 0;
  /** Where it stopped, and the place within the line there. */
  #stop = 0;
  #place: number = place.start;
  /** Whether the byte there proves that the text was never closed. */
  #isUnclosed = false;

  /** `isLast`: a quote that the bytes do not close is never closed. They then end a line. */
  constructor(bytes: Buffer, { isLast = false }: { readonly isLast?: boolean } = {}) {
    this.bytes = bytes;
    this.#isLast = isLast;
  }

  /** The end of the line that begins at `at`; see endAfter(). REQUIRES: `at` never decreases. */
  endOf(at: number): number {
    const { bytes } = this;
    let now: number = place.start;
    let newlines = 0;
    for (let next = at; next < bytes.length; next += 1) {
      const byte = bytes[next] ?? 0;
      if (byte !== newline) {
        const before = now;
        now = placeAfter(before, byte);
        // The server judges all other lines.
        if (newlines > 0 && !mayFollow(byte, before, now)) return this.#giveUp(next);
        continue;
      }
      if (now !== place.string && now !== place.stringEscape) {
        const isWhole = newlines === 0 || now >= place.value;
        return isWhole ? next + 1 : this.#giveUp(next);
      }
      if (newlines === 0 && next < this.#stop) {
        if (this.#isUnclosed) return unclosed;
        newlines = this.#passedFrom(next);
        now = this.#place;
        next = this.#stop - 1;
      } else {
        newlines = this.#pass(next, newlines);
        now = place.string;
      }
      if (newlines > openNewlinesMax || next - at > openSizeMax) {
        return this.#pause(next + 1, now);
      }
    }
    this.#pause(bytes.length, now);
    const isNeverClosed = this.#isLast || bytes.length - at > openSizeMax;
    return newlines > 0 && isNeverClosed ? unclosed : unfinished;
  }

  #pass(at: number, newlines: number): number {
    if (newlines === 0) {
      this.#passed = [];
      this.#first = 0;
    }
    this.#passed.push(at);
    return newlines + 1;
  }

  #passedFrom(at: number): number {
    while ((this.#passed[this.#first] ?? at) < at) this.#first += 1;
    return this.#passed.length - this.#first;
  }

  /** The byte at `stop` spoils the text, for each line that has come so far. */
  #giveUp(stop: number): number {
    this.#stop = stop;
    this.#isUnclosed = true;
    return unclosed;
  }

  /** A later line may go further. */
  #pause(stop: number, now: number): number {
    this.#stop = stop;
    this.#place = now;
    this.#isUnclosed = false;
    return unclosed;
  }
}

/** Whether the byte may follow a closed text: a comma, or a blank and a time. */
function mayFollow(byte: number, before: number, now: number): boolean {
  if (byte === carriageReturn || byte === blank) return true;
  if (now === place.tail) return (byte >= 48 && byte <= 57) || byte === minus;
  return before !== place.stringEnd || now === place.key;
}

function placeAfter(before: number, byte: number): number {
  switch (before) {
    case place.start:
      if (byte === blank || byte === tab) return place.start;
      if (byte === hash) return place.comment;
      return byte === backslash ? place.headEscape : place.head;
    case place.headEscape:
      return isEscapable(byte) ? place.head : afterHead(byte);
    case place.head:
      return afterHead(byte);
    case place.keyEscape:
      return isEscapable(byte) ? place.key : afterKey(byte);
    case place.key:
      return afterKey(byte);
    case place.valueStart:
      return byte === quote ? place.string : afterValue(byte);
    case place.value:
    case place.stringEnd:
      return afterValue(byte);
    case place.string:
      if (byte === backslash) return place.stringEscape;
      return byte === quote ? place.stringEnd : place.string;
    case place.stringEscape:
      return place.string;
    default:
      return before;
  }
}

function isEscapable(byte: number): boolean {
  return byte === comma || byte === equals || byte === blank;
}

function afterHead(byte: number): number {
  if (byte === backslash) return place.headEscape;
  return byte === blank ? place.key : place.head;
}

function afterKey(byte: number): number {
  if (byte === backslash) return place.keyEscape;
  return byte === equals ? place.valueStart : place.key;
}

function afterValue(byte: number): number {
  if (byte === comma) return place.key;
  return byte === blank ? place.tail : place.value;
}
