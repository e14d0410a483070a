/** Structured log lines: one JSON object per line. No field contains a secret. */

import { writeErrorLine } from './standard-error.js';

const levels = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof levels)[number];
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;
type Write = (level: LogLevel, message: string, fields?: LogFields) => void;

export interface Log {
  readonly write: Write;
  /**
   * Returns true if lines of this level are written, for callers whose fields cost time to build.
   */
  readonly takes: (level: LogLevel) => boolean;
}

export interface LeveledLog extends Log {
  /** Sets the level from the next line on. */
  readonly setLevel: (level: LogLevel) => void;
}

interface LogOptions {
  readonly level: LogLevel;
  /** Receives one line with its newline. */
  readonly sink: (line: string) => void;
}

const kSecretNames = /token|authorization|secret|password/i;

export function createLog(options: LogOptions): LeveledLog {
  let least = levels.indexOf(options.level);
  const takes = (level: LogLevel): boolean => levels.indexOf(level) >= least;
  return {
    takes,
    setLevel(level) {
      least = levels.indexOf(level);
    },
    write(level, message, fields = {}) {
      if (!takes(level)) return;
      const line: Record<string, unknown> = { time: new Date().toISOString(), level, message };
      for (const [name, value] of Object.entries(fields)) {
        line[name] = kSecretNames.test(name) ? '<redacted>' : value;
      }
      options.sink(`${JSON.stringify(line)}\n`);
    },
  };
}

/** The log of a server: lines on standard error. */
export function standardLog(level: LogLevel): LeveledLog {
  return createLog({
    level,
    sink: writeErrorLine,
  });
}
