/** `seriesdb query` at a terminal: runs a prompt until the user quits. */

import { SeriesDbError } from '../../client/client.js';
import { showAnswer } from '../querying/answer.js';
import { CommandFailure, exitCodes, sentenceOf } from '../session/failure.js';
import { failureOf } from '../session/run-command.js';

import { Completer } from './complete.js';
import { PromptHistory, historyFile } from './history.js';
import { obey, orderWords } from './orders.js';
import { openPrompt, type PromptEntry } from './prompt.js';
import { PromptState } from './prompt-state.js';

import type { QueryForm } from '../querying/query-form.js';
import type { ClientContext } from '../session/client-context.js';

interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

export async function runPrompt(
  context: ClientContext,
  form: QueryForm,
  { input, output }: Streams,
): Promise<number> {
  const { terminal, signal } = context;
  const interrupts = new Interrupts();
  const completer = new Completer(context.connect({ retry: { retries: 0 } }), orderWords);
  const state = new PromptState(context, form);
  await greet(context);
  const entries = openPrompt({
    ...{ input, output, signal },
    history: new PromptHistory(historyFile(terminal.environment)),
    complete: (text) => completer.complete(text),
    paint: (text) => terminal.paint(text, 'prompt'),
    onInterrupt: () => interrupts.raise(),
  });
  try {
    for await (const entry of entries) {
      await interrupts.during((ended) => {
        state.follow(AbortSignal.any([signal, ended]));
        return answer(state, entry, context.url);
      });
    }
  } finally {
    state.close();
  }
  signal.throwIfAborted();
  return exitCodes.ok;
}

/** If no server answers, says so at once; the server may start later. */
async function greet({ connect, terminal, signal, url }: ClientContext): Promise<void> {
  try {
    const { version } = await connect({ retry: { retries: 0 } }).status({ signal });
    terminal.note(`seriesdb ${version} at ${url}; \\? for help, \\q to quit\n`);
  } catch (error) {
    if (!(error instanceof SeriesDbError)) throw error;
    const { message } = await failureOf(error, { url, listener: 'public' });
    terminal.complain(`${message}\n`);
  }
}

/** An error of one entry does not end the prompt. */
async function answer(state: PromptState, { kind, text }: PromptEntry, url: string): Promise<void> {
  const { context } = state;
  try {
    if (kind === 'order') await obey(state, text);
    else await showAnswer(context, text, state.form);
  } catch (error) {
    if (error instanceof SeriesDbError) context.terminal.complain(`${sentenceOf(error, url)}\n`);
    else if (error instanceof CommandFailure) context.terminal.complain(`${error.message}\n`);
    else throw error;
  }
  await context.terminal.drained();
}

/** Ctrl-C at the prompt cancels the running statement only. */
class Interrupts {
  #running: AbortController | null = null;

  /** False if no statement runs. */
  raise(): boolean {
    this.#running?.abort(new CommandFailure('interrupted', exitCodes.interrupted));
    return this.#running !== null;
  }

  async during(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    this.#running = controller;
    try {
      await work(controller.signal);
    } finally {
      this.#running = null;
    }
  }
}
