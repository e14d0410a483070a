/** What a command sees of the process: its streams, its environment, and Ctrl-C. */

import type { Readable } from 'node:stream';

import type { Interruption } from './failure.js';

/** What colours say. */
export type Tone = 'error' | 'prompt' | 'name' | 'remark';

export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly write: (text: string) => void;
  /** Resolves when all that was written has gone out, or nobody takes it. */
  readonly drained: () => Promise<void>;
  readonly writeError: (text: string) => void;
  /** The same for what went wrong, its first line in the colour of errors where there are any. */
  readonly complain: (text: string) => void;
  /** In the colour of a tone, for `screen`; as it is where that has no colours. */
  readonly paint: (text: string, tone: Tone) => string;
  /** A remark for whoever looks at the error stream; nothing where nobody does. */
  readonly note: (text: string) => void;
  /** Wipes the line that a progress bar stands in; nothing where nobody looks. */
  readonly clearLine: () => void;
  /** Columns of the screen that the output goes to; null where it goes elsewhere. */
  readonly width: () => number | null;
  /** Wipes the screen that the output goes to. False where it goes elsewhere. */
  readonly clearScreen: () => boolean;
  readonly standardInput: () => Readable;
  /** Where a progress bar can be drawn; null where nobody looks. */
  readonly screen: () => NodeJS.WritableStream | null;
  /** Calls back on Ctrl-C, and when the output takes no more. Returns the way to stop. */
  readonly onInterrupt: (callback: (reason: Interruption) => void) => () => void;
}
