/**
 * Logs refused requests. Someone who guesses tokens could flood the log, so it writes only a few
 * lines per code and period. The next line tells the number of lines left out.
 */

import type { Log } from './log.js';

const kLinesMax = 10;
const kStretchMs = 10_000;

interface Refused {
  readonly code: string;
  /** The name of the presented token; null if it is unknown. */
  readonly caller: string | null;
  readonly address: () => string;
}

interface RefusalLogOptions {
  readonly log: Log;
  readonly message: string;
  /** Codes of refusals that are logged. */
  readonly codes: readonly string[];
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
}

/** The lines of one code in the current period. */
interface RefusalStretch {
  beganAt: number;
  lineCount: number;
  leftOut: number;
}

export class RefusalLog {
  readonly #options: RefusalLogOptions;
  readonly #stretches: ReadonlyMap<string, RefusalStretch>;

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
