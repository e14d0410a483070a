/** The state of the prompt between lines: format, timing, and the target of answers. */

import { closeSync, openSync, writeSync } from 'node:fs';

import { queryFormats, type QueryForm } from '../querying/query-form.js';
import { CommandFailure } from '../session/failure.js';
import { writeReasonOf } from '../session/file-reason.js';

import type { ClientContext } from '../session/client-context.js';
import type { Terminal } from '../session/terminal.js';

export class PromptState {
  #context: ClientContext;
  readonly #screen: Terminal;
  #form: QueryForm;
  #output: number | null = null;

  constructor(context: ClientContext, form: QueryForm) {
    this.#context = context;
    this.#screen = context.terminal;
    this.#form = form;
  }

  /** Its terminal writes answers to the current target. */
  get context(): ClientContext {
    return this.#context;
  }

  get form(): QueryForm {
    return this.#form;
  }

  /** Sets the signal of the running statement. */
  follow(signal: AbortSignal): void {
    this.#context = { ...this.#context, signal };
  }

  chooseFormat(name: string): void {
    const format = queryFormats.find((one) => one === name);
    if (format === undefined) {
      throw new CommandFailure(`\\format takes one of ${queryFormats.join(', ')}`);
    }
    this.#form = { ...this.#form, format };
    this.#screen.note(`answers are printed as ${format}\n`);
  }

  chooseTiming(word: string): void {
    if (!['', 'on', 'off'].includes(word)) throw new CommandFailure('\\timing takes on or off');
    const isTimed = word === '' ? this.#form.isTimed !== true : word === 'on';
    this.#form = { ...this.#form, isTimed };
    this.#screen.note(`timing is ${isTimed ? 'on' : 'off'}\n`);
  }

  chooseOutput(file: string): void {
    const output = file === '' ? null : opened(file);
    this.close();
    this.#output = output;
    const terminal = output === null ? this.#screen : intoFile(this.#screen, { file, output });
    this.#context = { ...this.#context, terminal };
    this.#screen.note(`answers go ${output === null ? 'to the screen' : `into ${file}`}\n`);
  }

  close(): void {
    if (this.#output !== null) closeSync(this.#output);
    this.#output = null;
  }
}

function opened(file: string): number {
  try {
    return openSync(file, 'w');
  } catch (error) {
    throw new CommandFailure(`\\o: cannot write ${file}: ${writeReasonOf(error)}`);
  }
}

interface PromptTarget {
  readonly file: string;
  readonly output: number;
}

/** A terminal that writes answers to a file; notes stay on the screen. */
function intoFile(screen: Terminal, { file, output }: PromptTarget): Terminal {
  return {
    ...screen,
    write: (text) => {
      try {
        writeSync(output, text);
      } catch (error) {
        throw new CommandFailure(`cannot write ${file}: ${writeReasonOf(error)}`);
      }
    },
    drained: () => Promise.resolve(),
    width: () => null,
  };
}
