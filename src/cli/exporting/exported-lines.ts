/** Reads the stream of the server's export: whole lines, then the totals. */

import { CommandFailure } from '../session/failure.js';

interface ExportTotals {
  readonly samples: number;
  /** Samples that no line can express: values that are not finite. */
  readonly leftOut: number;
}

const kNewline = 10;
const totalsForm = /^\{"samples":(\d+),"left_out":(\d+)\}\n$/;

/** Yields pieces that end with a newline; returns the totals. Fails if they are missing. */
export async function* exportedLines(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, ExportTotals> {
  // The last line may be the totals, so it waits for the next piece.
  let held: Uint8Array = new Uint8Array();
  for await (const piece of pieces) {
    const joined = held.length === 0 ? piece : Buffer.concat([held, piece]);
    const cut = lastLineOf(joined);
    if (cut > 0) yield joined.subarray(0, cut);
    held = joined.subarray(cut);
  }
  const [, samples, leftOut] = totalsForm.exec(Buffer.from(held).toString()) ?? [];
  if (samples === undefined || leftOut === undefined) {
    throw new CommandFailure('the export ended too early: its last line has no totals');
  }
  return { samples: Number(samples), leftOut: Number(leftOut) };
}

/** Where the last line begins, whether or not its newline has arrived. */
function lastLineOf({ buffer, byteOffset, length }: Uint8Array): number {
  if (length < 2) return 0;
  return Buffer.from(buffer, byteOffset, length).lastIndexOf(kNewline, length - 2) + 1;
}

export function lineCount(piece: Uint8Array): number {
  let count = 0;
  for (const byte of piece) if (byte === kNewline) count += 1;
  return count;
}
