/** Handles of queries in progress: the answer, or the wait for it. */

import { AppError, toAppError } from '../common/errors/app-error.js';
import { printResult, type ResultFormat } from '../query/seriesql/result/format.js';

import { streamOf } from './slots/short-answer.js';

import type { RunningQuery } from '../query/seriesql/execute/running-query.js';
import type { ByteStream } from '../storage/storage.js';

/** A query that may be waiting, running or cancelled. */
export interface AskedQuery {
  /** The complete answer, if it was available at once. Otherwise null: wait for `started`. */
  readonly whole: Uint8Array | null;
  /** Resolves when the first row can be read. Rejects with the query's error. */
  readonly started: Promise<ByteStream>;
  /** Cancels the query, when its client no longer waits. Idempotent. */
  cancel(): void;
  /** Warnings of the query's statistics. Known once it has started, or if `whole` is not null. */
  warnings(): readonly string[];
  /** Rows returned and samples read so far. */
  figures(): { readonly rows: number; readonly samples: number };
}

/** Like AskedQuery, for reads that are not statements. */
export interface AskedRead {
  /** See AskedQuery. */
  readonly whole: Uint8Array | null;
  /** Resolves when the read has a query slot, or needs none. */
  readonly started: Promise<ByteStream>;
  /** The text in the list of queries. */
  readonly text: string;
  cancel(): void;
}

export const noFigures = (): ReturnType<AskedQuery['figures']> => ({ rows: 0, samples: 0 });

const noWarnings: readonly string[] = [];

interface WholeFacts extends Pick<AskedQuery, 'figures'> {
  readonly text: string;
  readonly warnings: readonly string[] | undefined;
}

/** A query that was answered at once. Callers rarely read it in pieces. */
export class WholeQueryAnswer implements AskedQuery, AskedRead {
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

  /** The query has already ended. */
  cancel(): void {
    return;
  }
}

/** Errors without a code of their own become failures of the running query. */
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
      // Most queries are read to their end; then there is nothing to cancel.
      if (isAtEnd) return;
      query.cancel();
      // Cleans up after the running step has ended.
      void pieces.return(undefined).then(leave, leave);
    },
  };
}
