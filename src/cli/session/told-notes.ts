/** Notes on an answer, told on the error stream below it: no form of rows has a place for them. */

import type { AnswerNotes, NotedOptions } from '../../client/answer-notes.js';
import type { ClientContext } from './client-context.js';
import type { Terminal } from './terminal.js';

export interface HeldNotes {
  /** For the calls whose notes are held. */
  readonly options: Required<NotedOptions>;
  /** Each note once, however many answers had it. */
  readonly tell: (context: Pick<ClientContext, 'terminal'>, asOf: string | undefined) => void;
}

export function holdNotes(): HeldNotes {
  const told = new Map<string, AnswerNotes>();
  return {
    options: { onNotes: (notes) => told.set(JSON.stringify(notes), notes) },
    tell: ({ terminal }, asOf = '') => {
      const all = [...told.values()];
      const states = new Set(all.map((notes) => notes.as_of).filter((one) => one !== null));
      for (const state of states) tellState(terminal, asOf, state);
      for (const warning of new Set(all.flatMap(({ warnings }) => warnings))) {
        terminal.writeError(`warning: ${warning}\n`);
      }
    },
  };
}

/** Which past state an answer shows, and what it lacks. */
export function tellState(terminal: Terminal, asOf: string, state: string): void {
  terminal.writeError(`as of ${asOf}: ${state}\n`);
}
