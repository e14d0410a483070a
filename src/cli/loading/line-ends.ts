/**
 * Where the lines of a text end. A line of line protocol ends at a newline outside quoted texts, by
 * the rules of native/ingest/line_protocol/line_end.h.
 */

const newline = 10;
const quote = 34;

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
}

export const plainEnds: LineEnds = {
  pieces: async function* (source) {
    for await (const bytes of source) yield { bytes, isUnclosed: false };
  },
  within: (bytes, wanted) => lastEnd(bytes, wanted) || firstEnd(bytes, Math.max(wanted, 0)),
};

export const quotedEnds: LineEnds = { pieces: quotedPieces, within: quotedWithin };

/** After the last newline within `wanted` bytes; 0 without one. */
function lastEnd(bytes: Buffer, wanted: number): number {
  return wanted > 0 ? bytes.lastIndexOf(newline, wanted - 1) + 1 : 0;
}

function firstEnd(bytes: Buffer, from: number): number {
  return bytes.indexOf(newline, from) + 1;
}

/** The size that a line without an end may have before it is passed on. */
const heldSizeMax = 64 * 1024 * 1024;

async function* quotedPieces(source: AsyncIterable<Buffer>): AsyncGenerator<LinePiece> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const piece of source) {
    parts.push(piece);
    size += piece.length;
    // Without a newline, no line ends here.
    if (!piece.includes(newline) && size <= heldSizeMax) continue;
    let rest = yield* wholeLines(parts.length === 1 ? piece : Buffer.concat(parts));
    if (rest.length > heldSizeMax) {
      yield { bytes: rest, isUnclosed: false };
      rest = rest.subarray(rest.length);
    }
    parts = rest.length > 0 ? [rest] : [];
    size = rest.length;
  }
  if (size > 0) yield* lastLines(Buffer.concat(parts));
}

/** The end of the source, whose last line needs no newline. */
function* lastLines(bytes: Buffer): Generator<LinePiece> {
  const isEnded = bytes.at(-1) === newline;
  let rest = isEnded ? bytes : Buffer.concat([bytes, Buffer.of(newline)]);
  let left = bytes.length;
  while (left > 0) {
    for (const piece of piecesOf(rest)) {
      const given = piece.bytes.subarray(0, left);
      left -= given.length;
      rest = rest.subarray(piece.bytes.length);
      yield { ...piece, bytes: given };
    }
    // What is left began a quote that the source does not close.
    if (left > 0) {
      const line = commentOf(rest);
      rest = rest.subarray(line.length);
      yield { bytes: line.subarray(0, left), isUnclosed: true };
      left -= Math.min(left, line.length);
    }
  }
}

/** Returns the unfinished rest. */
function* wholeLines(bytes: Buffer): Generator<LinePiece, Buffer> {
  let size = 0;
  for (const piece of piecesOf(bytes)) {
    size += piece.bytes.length;
    yield piece;
  }
  return bytes.subarray(size);
}

function* piecesOf(bytes: Buffer): Generator<LinePiece> {
  let from = 0;
  for (let at = 0; ;) {
    const next = endAfter(bytes, at, bytes.length);
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
  let end = 0;
  for (;;) {
    const next = endAfter(bytes, end, wanted);
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
function endAfter(bytes: Buffer, at: number, wanted: number): number {
  const quoted = bytes.indexOf(quote, at);
  const plainEnd = quoted < 0 ? bytes.length : Math.max(at, lastEnd(bytes, quoted));
  if (plainEnd > at) {
    const last = lastEnd(bytes, Math.min(plainEnd, wanted));
    return last > at ? last : firstEnd(bytes, at);
  }
  return quoted < 0 ? unfinished : endOfLine(bytes, at);
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

/** The end of the line that begins at `at`; see endAfter(). */
function endOfLine(bytes: Buffer, at: number): number {
  let now: number = place.start;
  let newlines = 0;
  for (let next = at; next < bytes.length; next += 1) {
    const byte = bytes[next] ?? 0;
    if (byte !== newline) {
      const before = now;
      now = placeAfter(before, byte);
      // The server judges all other lines.
      if (newlines > 0 && !mayFollow(byte, before, now)) return unclosed;
    } else if (now === place.string || now === place.stringEscape) {
      now = place.string;
      newlines += 1;
      if (newlines > openNewlinesMax || next - at > openSizeMax) return unclosed;
    } else {
      const isWhole = newlines === 0 || now >= place.value;
      return isWhole ? next + 1 : unclosed;
    }
  }
  return newlines > 0 && bytes.length - at > openSizeMax ? unclosed : unfinished;
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
