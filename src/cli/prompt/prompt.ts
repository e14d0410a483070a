/**
 * A prompt for SeriesQL statements and for commands of the prompt itself. A statement ends with a
 * semicolon and may span lines; a command is one line.
 */

import { createInterface, type Interface } from 'node:readline';

import { findStatements } from '../../query/seriesql/language/statements.js';

import { historyMax, type PromptHistory } from './history.js';

export interface PromptEntry {
  readonly kind: 'statement' | 'order';
  readonly text: string;
}

/** The possible words, and the part of the line that they replace, as readline expects. */
export type Completion = [words: string[], part: string];

interface PromptOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly history: PromptHistory;
  /** Completes `text`, which starts at the start of the statement. */
  readonly complete?: (text: string) => Promise<Completion>;
  readonly paint?: (text: string) => string;
  /** Called on Ctrl-C. True: it cancelled a running statement. */
  readonly onInterrupt?: () => boolean;
  /** Ends the prompt in any state. */
  readonly signal?: AbortSignal;
}

const firstPrompt = 'seriesdb> ';
const nextPrompt = '      ... ';

/** Yields the typed entries, until the end of the input or a command to quit. */
export async function* openPrompt(options: PromptOptions): AsyncGenerator<PromptEntry> {
  const prompt = new Prompt(options);
  try {
    prompt.show();
    for await (const line of prompt.reader) {
      for (const entry of prompt.entriesOf(line)) {
        if (isLeaving(entry)) return;
        yield entry;
        if (prompt.isInterrupted()) break;
      }
      prompt.show();
    }
    options.output.write('\n');
  } finally {
    prompt.reader.close();
  }
}

function isLeaving({ kind, text }: PromptEntry): boolean {
  return kind === 'order' && /^(?:exit|quit|\\q)$/i.test(text);
}

class Prompt {
  readonly reader: Interface;
  readonly #options: PromptOptions;
  /** The lines of an unfinished statement. */
  #held = '';
  /** True inside an open quote, where any text may follow. */
  #isOpen = false;
  #isInterrupted = false;

  constructor(options: PromptOptions) {
    this.#options = options;
    const { input, output, history, complete, signal } = options;
    this.reader = createInterface({
      ...{ input, output, history: [...history.entries], historySize: historyMax },
      ...(signal === undefined ? {} : { signal }),
      ...(complete === undefined ? {} : { completer: completer(this.#completed(complete)) }),
    });
    this.reader.on('history', (lines: string[]) => {
      history.follow(lines);
    });
    this.reader.on('SIGINT', () => {
      this.#interrupt();
    });
  }

  show(): void {
    const { paint = (text: string) => text } = this.#options;
    this.#isInterrupted = false;
    this.reader.setPrompt(paint(this.#held === '' ? firstPrompt : nextPrompt));
    this.reader.prompt();
  }

  /** True if Ctrl-C cancelled the last statement; the rest of its line is dropped too. */
  isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  *entriesOf(line: string): Generator<PromptEntry> {
    const order = this.#orderIn(line);
    if (order !== null) {
      this.#options.history.add(order);
      yield { kind: 'order', text: order };
      return;
    }
    const text = this.#held === '' ? line : `${this.#held}\n${line}`;
    const { ended, begun, isOpen } = findStatements(text);
    this.#held = begun === null ? '' : text.slice(begun.start);
    this.#isOpen = isOpen;
    for (const { start, end } of ended) {
      const statement = text.slice(start, end);
      this.#options.history.add(`${statement};`);
      yield { kind: 'statement', text: statement };
    }
  }

  /**
   * A command starts with a backslash. At the start of a statement, `help`, `exit` and `quit` are
   * commands too.
   */
  #orderIn(line: string): string | null {
    const text = line.trim().replace(/\s*;$/, '');
    if (this.#isOpen) return null;
    if (text.startsWith('\\')) return text;
    return this.#held === '' && /^(?:help(?:\s+\w+)?|exit|quit)$/i.test(text) ? text : null;
  }

  /** Ctrl-C cancels the running statement, or drops the unfinished one. */
  #interrupt(): void {
    const { output, onInterrupt } = this.#options;
    if (onInterrupt?.() === true) {
      this.#isInterrupted = true;
      return;
    }
    const hasText = this.#held !== '' || this.reader.line !== '';
    this.#held = '';
    this.#isOpen = false;
    // Ctrl-E, then Ctrl-U: moves to the end of the line and deletes it.
    this.reader.write(null, { ctrl: true, name: 'e' });
    this.reader.write(null, { ctrl: true, name: 'u' });
    output.write(hasText ? '^C\n' : '\nCtrl-D or \\q quits.\n');
    this.show();
  }

  #completed(complete: (text: string) => Promise<Completion>) {
    return (line: string) => complete(this.#held === '' ? line : `${this.#held}\n${line}`);
  }
}

type Callback = (error: Error | null, completion: Completion) => void;

/** Adapts a promise to readline's callback; a rejection completes nothing. */
function completer(complete: (line: string) => Promise<Completion>) {
  return (line: string, done: Callback): void => {
    complete(line).then(
      (completion) => {
        done(null, completion);
      },
      () => {
        done(null, [[], line]);
      },
    );
  };
}
