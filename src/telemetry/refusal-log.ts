/**
 * Requests that were turned away, as lines of the log. Whoever tries tokens writes as fast as he
 * asks, so that only a few lines of each code are written in a stretch of time, and then how many
 * were not.
 */

import type { Log } from './log.js';

const kLinesMax = 10;
const kStretchMs = 10_000;

interface Refused {
  readonly code: string;
  /** Of the token that was shown; null where none is known. */
  readonly caller: string | null;
  readonly address: () => string;
}

interface RefusalLogOptions {
  readonly log: Log;
  readonly message: string;
  /** Of the refusals that are worth a line. */
  readonly codes: readonly string[];
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

/** What was written, of one code. */
interface Stretch {
  beganAt: number;
  lineCount: number;
  leftOut: number;
}

export class RefusalLog {
  readonly #options: RefusalLogOptions;
  readonly #stretches: ReadonlyMap<string, Stretch>;

  constructor(options: RefusalLogOptions) {
    this.#options = options;
    this.#stretches = new Map(
      options.codes.map((code) => [code, { beganAt: -Infinity, lineCount: 0, leftOut: 0 }]),
    );
  }

  tell({ code, caller, address }: Refused): void {
    const stretch = this.#stretches.get(code);
    if (stretch === undefined) return;
    const { log, message, now } = this.#options;
    if (now() - stretch.beganAt >= kStretchMs) {
      stretch.beganAt = now();
      stretch.lineCount = 0;
    }
    if (stretch.lineCount === kLinesMax) {
      stretch.leftOut += 1;
      return;
    }
    stretch.lineCount += 1;
    const { leftOut } = stretch;
    stretch.leftOut = 0;
    log.write('warn', message, {
      address: address(),
      code,
      ...(caller === null ? {} : { caller }),
      ...(leftOut === 0 ? {} : { left_out: leftOut }),
    });
  }
}
