/** The source of a command's text: argument, file, pipe or prompt. */

import type { Terminal } from './terminal.js';
import type { Readable } from 'node:stream';

export interface TextSource {
  readonly statement: string | undefined;
  /** `-` is standard input, which is also the default. */
  readonly file: string | undefined;
}

interface PromptStreams {
  readonly input: Readable;
  readonly output: NodeJS.WritableStream;
}

/** The streams of a prompt; null if the text is given, or if input or output is no terminal. */
export function promptOf(
  terminal: Terminal,
  { statement, file }: TextSource,
): PromptStreams | null {
  if (statement !== undefined || file !== undefined) return null;
  const output = terminal.screen();
  const input = terminal.standardInput();
  const isTyped = output !== null && 'isTTY' in input && input.isTTY === true;
  return isTyped ? { input, output } : null;
}
