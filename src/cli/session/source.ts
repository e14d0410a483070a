/** Where a command has its text from that may be typed, piped or in a file. */

import type { Terminal } from './terminal.js';
import type { Readable } from 'node:stream';

export interface TextSource {
  readonly statement: string | undefined;
  /** `-` is the standard input, as where neither is given. */
  readonly file: string | undefined;
}

interface Prompt {
  readonly input: Readable;
  readonly output: NodeJS.WritableStream;
}

/** Where somebody may type it; null where it is given, or comes from elsewhere. */
export function promptOf(terminal: Terminal, { statement, file }: TextSource): Prompt | null {
  if (statement !== undefined || file !== undefined) return null;
  const output = terminal.screen();
  const input = terminal.standardInput();
  const isTyped = output !== null && 'isTTY' in input && input.isTTY === true;
  return isTyped ? { input, output } : null;
}
