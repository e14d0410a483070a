/** The process as commands see it: streams, environment, and Ctrl-C. */

import type { Readable } from 'node:stream';

import type { Interruption } from './failure.js';

/** The meanings of colours. */
export type Tone = 'error' | 'prompt' | 'name' | 'remark';

export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly write: (text: string) => void;
  /** Resolves when everything is written, or the output is closed. */
  readonly drained: () => Promise<void>;
  readonly writeError: (text: string) => void;
  /** Writes an error; its first line is in the error colour if there are colours. */
  readonly complain: (text: string) => void;
  /** Colours a text for `screen`; unchanged without colours. */
  readonly paint: (text: string, tone: Tone) => string;
  /** A remark on standard error; omitted if that is not a terminal. */
  readonly note: (text: string) => void;
  /** Clears the line of a progress bar; does nothing without a terminal. */
  readonly clearLine: () => void;
  /** Columns of the output's screen; null for other outputs. */
  readonly width: () => number | null;
  /** Clears the output's screen. False for other outputs. */
  readonly clearScreen: () => boolean;
  readonly standardInput: () => Readable;
  /** The stream for a progress bar; null without a terminal. */
  readonly screen: () => NodeJS.WritableStream | null;
  /** Calls back on Ctrl-C, and when the output is closed. Returns an unsubscribe function. */
  readonly onInterrupt: (callback: (reason: Interruption) => void) => () => void;
}
