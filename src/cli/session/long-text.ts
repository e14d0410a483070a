/** Writes long text in pieces, so that Ctrl-C is handled meanwhile. */

import type { ClientContext } from './client-context.js';

/** The approximate size of a piece, in characters: a screen takes it in a few milliseconds. */
const kPiece = 16 * 1024;

/**
 * Rejects with the signal's reason. Writing to a terminal is synchronous, and blocks signal
 * handlers.
 */
export async function writeLong(
  { terminal, signal }: Pick<ClientContext, 'terminal' | 'signal'>,
  text: string,
): Promise<void> {
  for (let at = 0; at < text.length;) {
    signal.throwIfAborted();
    const newline = text.indexOf('\n', at + kPiece);
    const end = newline < 0 ? text.length : newline + 1;
    terminal.write(text.slice(at, end));
    at = end;
    await terminal.drained();
    if (at < text.length) await new Promise((resolve) => setImmediate(resolve));
  }
}
