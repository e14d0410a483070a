/**
 * A prompt: statements of SeriesQL, which end with a semicolon and may span lines, and orders to
 * the prompt itself, each on a line of its own.
 */

import { createInterface, type Interface } from 'node:readline';

import { findStatements } from '../../query/seriesql/language/statements.js';

import { historyMax, type History } from './history.js';

export interface Entry {
  readonly kind: 'statement' | 'order';
  readonly text: string;
}

/** What a word may become, and which part of the line that word is; as readline wants it. */
export type Completion = [words: string[], part: string];

interface PromptOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly history: History;
  /** Tab behind `text`, which begins where the statement does. */
  readonly complete?: (text: string) => Promise<Completion>;
  readonly paint?: (text: string) => string;
  /** Ctrl-C. True: it ended the statement that runs. */
  readonly onInterrupt?: () => boolean;
  /** Ends the prompt, whatever it waits for. */
  readonly signal?: AbortSignal;
}

const firstPrompt = 'seriesdb> ';
const nextPrompt = '      ... ';

/** What is typed, until the end of the input or an order to leave. */
export async function* openPrompt(options: PromptOptions): AsyncGenerator<Entry> {
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

function isLeaving({ kind, text }: Entry): boolean {
  return kind === 'order' && /^(?:exit|quit|\\q)$/i.test(text);
}

class Prompt {
  readonly reader: Interface;
  readonly #options: PromptOptions;
  /** Lines of a statement that has no end yet. */
  #held = '';
  /** A text in quotes has no end yet, in which anything may stand. */
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

  /** Whether Ctrl-C ended what ran; what stands behind it in the line goes, too. */
  isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  *entriesOf(line: string): Generator<Entry> {
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

  /** An order begins with a backslash, or is one of a few words where a statement could begin. */
  #orderIn(line: string): string | null {
    const text = line.trim().replace(/\s*;$/, '');
    if (this.#isOpen) return null;
    if (text.startsWith('\\')) return text;
    return this.#held === '' && /^(?:help(?:\s+\w+)?|exit|quit)$/i.test(text) ? text : null;
  }

  /** Ctrl-C ends the statement that runs, or forgets the one begun. */
  #interrupt(): void {
    const { output, onInterrupt } = this.#options;
    if (onInterrupt?.() === true) {
      this.#isInterrupted = true;
      return;
    }
    const hasText = this.#held !== '' || this.reader.line !== '';
    this.#held = '';
    this.#isOpen = false;
    // To the end of the line, and all before it away.
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

/** Readline waits for a call; one that fails completes nothing. */
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
