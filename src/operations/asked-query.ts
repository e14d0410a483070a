/** What whoever asks a query holds: its answer, or the wait for it. */

import { AppError, toAppError } from '../common/errors/app-error.js';
import { printResult, type ResultFormat } from '../query/seriesql/result/format.js';

import { streamOf } from './places/short-answer.js';

import type { RunningQuery } from '../query/seriesql/execute/running-query.js';
import type { ByteStream } from '../storage/storage.js';

/** A query that was asked and may still wait, run, or be given up. */
export interface AskedQuery {
  /** What `started` gives, where all of it was had at once: nothing is to be waited for. */
  readonly whole: Uint8Array | null;
  /** Resolves when the first row can be read; rejects with what is wrong. */
  readonly started: Promise<ByteStream>;
  /** Nobody waits any more. Idempotent. */
  cancel(): void;
  /** What its figures warn of; known when it is `whole` or has started. */
  warnings(): readonly string[];
  /** Rows that were given and samples that were read, as far as it is known. */
  figures(): { readonly rows: number; readonly samples: number };
}

/** The same of what is no statement. */
export interface AskedRead {
  /** As of a query. */
  readonly whole: Uint8Array | null;
  /** Resolves when it has, or had no need of, its place among the queries. */
  readonly started: Promise<ByteStream>;
  /** As it is listed among the queries while it waits and runs. */
  readonly text: string;
  cancel(): void;
}

export const noFigures = (): ReturnType<AskedQuery['figures']> => ({ rows: 0, samples: 0 });

const noWarnings: readonly string[] = [];

interface WholeFacts extends Pick<AskedQuery, 'figures'> {
  readonly text: string;
  readonly warnings: readonly string[] | undefined;
}

/** What was answered at once. Hardly anybody asks it for pieces. */
export class WholeAnswer implements AskedQuery, AskedRead {
  readonly whole: Uint8Array;
  readonly text: string;
  readonly figures: AskedQuery['figures'];
  readonly #warnings: readonly string[];

  constructor(whole: Uint8Array, { text, figures, warnings }: WholeFacts) {
    this.whole = whole;
    this.text = text;
    this.figures = figures;
    this.#warnings = warnings ?? noWarnings;
  }

  warnings(): readonly string[] {
    return this.#warnings;
  }

  get started(): Promise<ByteStream> {
    return Promise.resolve(streamOf([this.whole]));
  }

  /** It has ended. */
  cancel(): void {
    return;
  }
}

/** What has no code of its own failed while the query ran. */
export function asQueryError(error: unknown): AppError {
  const known = toAppError(error);
  if (known.code !== 'internal_error') return known;
  return new AppError('execution_error', 'the query failed while it ran', { cause: error });
}

export function piecesOf(query: RunningQuery, format: ResultFormat, leave: () => void): ByteStream {
  const pieces = printResult(query, format);
  let isAtEnd = false;
  const end = (): void => {
    isAtEnd = true;
    leave();
  };
  return {
    next: async () => {
      try {
        const step = await pieces.next();
        if (step.done !== true) return step.value;
        end();
        return null;
      } catch (error) {
        end();
        throw asQueryError(error);
      }
    },
    close: () => {
      // Most are read to their end; then there is nothing to give up.
      if (isAtEnd) return;
      query.cancel();
      // Runs the clean-up of what is still open, when the step that runs has ended.
      void pieces.return(undefined).then(leave, leave);
    },
  };
}
