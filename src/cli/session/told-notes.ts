/**
 * Notes on an answer. They are printed to standard error, because no row format has a place for
 * them.
 */

import type { AnswerNotes, NotedOptions } from '../../client/answer-notes.js';
import type { ClientContext } from './client-context.js';
import type { Terminal } from './terminal.js';

export interface HeldNotes {
  /** Options of calls whose notes are held. */
  readonly options: Required<NotedOptions>;
  /** Prints each distinct note once. */
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

/** Prints the past state of an answer, and the data it lacks. */
export function tellState(terminal: Terminal, asOf: string, state: string): void {
  terminal.writeError(`as of ${asOf}: ${state}\n`);
}
