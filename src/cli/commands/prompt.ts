/**
 * A prompt for statements: they end with a semicolon or at an empty line, may span lines, and are
 * remembered in a file in the user's folder.
 */

import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';

export interface PromptOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** The folder of the history; null remembers nothing. */
  readonly home: string | null;
}

const historyName = '.seriesdb_history';
const historyMax = 1000;
const firstPrompt = 'seriesdb> ';
const nextPrompt = '      ... ';

/** The statements as they are typed, until the end of the input, `exit` or `quit`. */
export async function* openPrompt(options: PromptOptions): AsyncGenerator<string> {
  const { input, output, home } = options;
  const file = home === null ? null : path.join(home, historyName);
  const history = file === null ? [] : readHistory(file);
  const reader = createInterface({ input, output, history: [...history], historySize: historyMax });
  let held: string[] = [];
  const restart = (): void => {
    held = [];
    reader.setPrompt(firstPrompt);
    reader.prompt();
  };
  // Ctrl-C forgets the statement begun, and at an empty line it leaves.
  reader.on('SIGINT', () => {
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
        reader.setPrompt(held.join('').trim() === '' ? firstPrompt : nextPrompt);
        reader.prompt();
        continue;
      }
      const statement = held.join('\n').trim();
      if (statement !== '') {
        remember(file, statement);
        yield statement;
      }
      restart();
    }
    if (held.join('').trim() !== '') yield held.join('\n').trim();
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

/** The newest first, as readline wants it. */
function readHistory(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return lines.slice(-historyMax).reverse();
  } catch {
    // There is none yet, or it cannot be read: then nothing is remembered, and nothing else fails.
    return [];
  }
}

function remember(file: string | null, statement: string): void {
  if (file === null) return;
  try {
    appendFileSync(file, `${statement.replaceAll('\n', ' ')}\n`, { mode: 0o600 });
  } catch {
    // A folder that cannot be written to keeps nobody from asking.
  }
}
