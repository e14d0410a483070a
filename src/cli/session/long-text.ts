/** Text that may be long onto the output, so that Ctrl-C is heard while it is written. */

import type { ClientContext } from './client-context.js';

/** About so many characters at a time: a screen takes them in a few milliseconds. */
const kPiece = 16 * 1024;

/** Rejects with the reason of the signal. A terminal is written at once, and hears no key then. */
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
