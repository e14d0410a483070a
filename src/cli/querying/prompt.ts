/**
 * A prompt for statements: they end with a semicolon or at an empty line, may span lines, and are
 * remembered in a file in the user's folder.
 */

import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';

interface PromptOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** The folder of the history; null remembers nothing. */
  readonly home: string | null;
  /** Ctrl-C. True: it ended the statement that runs. */
  readonly onInterrupt?: () => boolean;
}

const historyName = '.seriesdb_history';
const historyMax = 1000;
const firstPrompt = 'seriesdb> ';
const nextPrompt = '      ... ';

/** The statements as they are typed, until the end of the input, `exit` or `quit`. */
export async function* openPrompt(options: PromptOptions): AsyncGenerator<string> {
  const { input, output, home } = options;
  const file = home === null ? null : path.join(home, historyName);
  const history = new History(file);
  const known = [...history.statements];
  const reader = createInterface({ input, output, history: known, historySize: historyMax });
  reader.on('history', (lines: string[]) => {
    history.follow(lines);
  });
  let held: string[] = [];
  const restart = (): void => {
    held = [];
    reader.setPrompt(firstPrompt);
    reader.prompt();
  };
  // Ctrl-C ends the statement that runs or forgets the one begun, and at an empty line it leaves.
  reader.on('SIGINT', () => {
    if (options.onInterrupt?.() === true) return;
    if (held.length === 0 && reader.line === '') reader.close();
    else output.write('\n');
    if (!isClosed(reader)) restart();
  });
  try {
    restart();
    for await (const line of reader) {
      if (held.length === 0 && /^\s*(?:exit|quit|\\q)\s*;?\s*$/i.test(line)) return;
      held.push(line);
      if (!isComplete(held)) {
        reader.setPrompt(isBlank(held) ? firstPrompt : nextPrompt);
        reader.prompt();
        continue;
      }
      const statement = held.join('\n').trim();
      if (!isBlank(held)) {
        history.add(statement);
        yield statement;
      }
      restart();
    }
    if (!isBlank(held)) yield held.join('\n').trim();
  } finally {
    reader.close();
  }
}

function isClosed(reader: Interface): boolean {
  return 'closed' in reader && reader.closed === true;
}

/** A semicolon at the end of the last line, or an empty line after others. */
function isComplete(lines: readonly string[]): boolean {
  const last = lines.at(-1)?.trim() ?? '';
  return last.endsWith(';') || last === '';
}

/** Nothing to run; a semicolon after an empty line is one too many. */
function isBlank(lines: readonly string[]): boolean {
  return /^[\s;]*$/.test(lines.join(''));
}

/** Whole statements, each on one line, for the arrow keys and in a file. */
class History {
  /** The newest first, as readline wants it. */
  statements: readonly string[];
  readonly #file: string | null;
  /** What the arrow keys walk through; readline adds every line to it. */
  #lines: string[] | null = null;

  constructor(file: string | null) {
    this.#file = file;
    this.statements = file === null ? [] : readHistory(file);
  }

  follow(lines: string[]): void {
    this.#lines = lines;
  }

  add(statement: string): void {
    const line = statement.replaceAll('\n', ' ');
    const isNew = line !== this.statements[0];
    if (isNew) this.statements = [line, ...this.statements].slice(0, historyMax);
    this.#lines?.splice(0, this.#lines.length, ...this.statements);
    if (isNew && this.#file !== null) remember(this.#file, line);
  }
}

function readHistory(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return lines.slice(-historyMax).reverse();
  } catch {
    // There is none yet, or it cannot be read: then nothing is remembered, and nothing else fails.
    return [];
  }
}

function remember(file: string, line: string): void {
  try {
    appendFileSync(file, `${line}\n`, { mode: 0o600 });
  } catch {
    // A folder that cannot be written to keeps nobody from asking.
  }
}
