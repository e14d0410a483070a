/** Decodes a byte stream into lines; invalid UTF-8 affects only its line. */

import { CommandFailure } from '../session/failure.js';

/**
 * The largest line: no server accepts a longer one, and a file without newlines must not fill
 * memory.
 */
const textLineSizeMax = 16 * 1024 * 1024;

const newline = 10;

interface TextLine {
  /** Without newline and carriage return; null if it is not UTF-8. */
  readonly text: string | null;
  /** Counts from 1. */
  readonly source: number;
}

/** The lines of one piece at a time. Throws CommandFailure for a line that is too long. */
export async function* textLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<TextLine[]> {
  let carried: Buffer[] = [];
  let carriedSize = 0;
  let source = 0;
  const take = (block: Buffer): TextLine[] =>
    decodedLines(block).map((text) => {
      source += 1;
      return { text, source };
    });
  for await (const piece of bytes) {
    const end = piece.lastIndexOf(newline) + 1;
    if (end > 0) {
      const block = Buffer.concat([...carried, piece.subarray(0, end - 1)]);
      carried = [];
      carriedSize = 0;
      yield take(block);
    }
    carried.push(Buffer.from(piece.subarray(end)));
    carriedSize += piece.length - end;
    if (carriedSize > textLineSizeMax) {
      throw new CommandFailure(`line ${source + 1} is too long, or its end is missing`);
    }
  }
  if (carriedSize > 0) yield take(Buffer.concat(carried));
}

function decodedLines(block: Buffer): (string | null)[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(block).split('\n').map(withoutReturn);
  } catch {
    return block
      .toString('latin1')
      .split('\n')
      .map((line) => {
        try {
          return withoutReturn(decoder.decode(Buffer.from(line, 'latin1')));
        } catch {
          return null;
        }
      });
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
