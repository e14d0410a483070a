/** Sends batches in order, and waits for a busy or restarting server. */

import { setTimeout as pause } from 'node:timers/promises';

import { clientCodes, SeriesDbError } from '../../client/client.js';
import { CommandFailure } from '../session/failure.js';

import { halves, type LineBatch } from './line-batches.js';

import type { IngestReport, RejectedLine } from '../../client/client.js';
import type { TableForm } from '../../common/model/table-columns.js';
import type { LinesForm } from '../session/directories.js';
import type { LoadTarget } from './target.js';

interface SenderOptions {
  readonly target: LoadTarget;
  readonly isLenient: boolean;
  /** Longest wait for a server that has stored something before. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  readonly notice: (text: string) => void;
}

export interface SentBatch {
  readonly batch: LineBatch;
  readonly ingested: number;
  readonly rejected: number;
  /** Skipped non-numeric cells of stored rows. */
  readonly spoiledCells: number;
  /** Fields of stored lines that were left out, because they are not numbers. */
  readonly leftOutFields: number;
  /** Lines count from the batch's first. */
  readonly errors: readonly ToldLine[];
}

/** A refused line, or the number of its skipped cells. */
interface ToldLine extends RejectedLine {
  readonly cells: number;
}

const delayMinMs = 100;
/** The longest delay if the server names none. */
const delayMaxMs = 2000;

export class Sender {
  readonly #options: SenderOptions;
  #form: LinesForm = {};
  #hasStored = false;
  #hasWarned = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Sets the form of later batches. */
  useForm(form: LinesForm): void {
    this.#form = form;
  }

  /**
   * Every acknowledged part, in order; a batch is split if the server refuses its size. With
   * `table` the lines are rows of that form, of which a bad one refuses the part.
   */
  async *send(batch: LineBatch, table?: TableForm): AsyncGenerator<SentBatch> {
    const report = await this.#sendWhole(batch, table);
    if (report !== null) {
      yield report;
      return;
    }
    for (const half of halves(batch) ?? []) yield* this.send(half, table);
  }

  /** Null if the batch is too large for the server and can be split. */
  async #sendWhole(batch: LineBatch, table?: TableForm): Promise<SentBatch | null> {
    let deadlineMs: number | null = null;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const told = await this.#sendOnce(batch, table);
        this.#hasStored = true;
        this.#warn(told.warnings);
        const { ingested, rejected } = told;
        return {
          ...{ batch, ingested, rejected, spoiledCells: 0, leftOutFields: told.skipped },
          errors: told.errors.map((one) => ({ ...one, cells: 0 })),
        };
      } catch (error) {
        if (!(error instanceof SeriesDbError)) throw error;
        if (error.code === 'payload_too_large' && halves(batch) !== null) return null;
        deadlineMs = this.#deadline(error, deadlineMs);
        const backoffMs = Math.min(delayMinMs * 2 ** Math.min(attempt, 5), delayMaxMs);
        await pause(Math.max(backoffMs, error.retryAfterMs ?? 0), null, {
          signal: this.#options.signal,
        });
      }
    }
  }

  #sendOnce({ bytes }: LineBatch, table: TableForm | undefined): Promise<IngestReport> {
    const { target, isLenient, signal } = this.#options;
    if (table !== undefined) return target.importCsv(bytes, table, signal);
    return target.ingest(bytes, { ...this.#form, on_error: isLenient ? 'skip' : 'fail', signal });
  }

  /** One message per kind and load. */
  #warn([first]: readonly string[]): void {
    if (first === undefined || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.notice(`warning: ${first}`);
  }

  /** The deadline of the wait. Throws if waiting does not help this error, or time is up. */
  #deadline(error: SeriesDbError, deadlineMs: number | null): number {
    const isAway = error.code === clientCodes.network;
    // A server that never answered is most likely a wrong address: report it at once.
    if (!error.mayPass && !(isAway && this.#hasStored)) throw error;
    const nowMs = performance.now();
    const { waitMs, notice } = this.#options;
    const untilMs = deadlineMs ?? nowMs + waitMs;
    const what = `${error.message} (${error.code})`;
    if (deadlineMs !== null && nowMs >= deadlineMs) {
      throw new CommandFailure(`the server did not recover within ${waitMs / 1000} s: ${what}`);
    }
    const askedMs = error.retryAfterMs ?? 0;
    if (nowMs + askedMs > untilMs) {
      const left = `longer than the rest of --wait (${waitMs / 1000} s)`;
      throw new CommandFailure(`the server asks to wait ${askedMs / 1000} s, ${left}: ${what}`);
    }
    if (deadlineMs === null) {
      const reason = isAway ? 'the server does not answer' : `the server is busy (${error.code})`;
      notice(`${reason}; waiting up to ${waitMs / 1000} s`);
    }
    return untilMs;
  }
}
