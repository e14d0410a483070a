/** Sends batches one after the other, and waits for a server that is busy or starts again. */

import { setTimeout as pause } from 'node:timers/promises';

import { clientCodes, SeriesDbError } from '../../client/client.js';
import { CommandFailure } from '../session/failure.js';

import { halves, type LineBatch } from './line-batches.js';

import type { RejectedLine, TimestampUnit } from '../../client/client.js';
import type { LoadTarget } from './target.js';

interface SenderOptions {
  readonly target: LoadTarget;
  readonly isLenient: boolean;
  /** How long to wait for a server that stored something before. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  readonly notice: (text: string) => void;
}

export interface Sent {
  readonly batch: LineBatch;
  readonly ingested: number;
  readonly rejected: number;
  /** Cells of rows that are no numbers, and were left out. */
  readonly spoiledCells: number;
  /** Lines count from the batch's first. */
  readonly errors: readonly ToldLine[];
}

/** A line that was refused, or of which so many cells were left out. */
interface ToldLine extends RejectedLine {
  readonly cells: number;
}

const delayMinMs = 100;
/** Of waits that the server says nothing about. */
const delayMaxMs = 2000;

export class Sender {
  readonly #options: SenderOptions;
  /** Of the lines' timestamps; null: the database's. */
  #precision: TimestampUnit | null = null;
  #hasStored = false;
  #hasWarned = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** What is sent from here on counts time so. */
  usePrecision(precision: TimestampUnit | null): void {
    this.#precision = precision;
  }

  /** Every part that was acknowledged, in order; parts when the server takes no whole one. */
  async *send(batch: LineBatch): AsyncGenerator<Sent> {
    const report = await this.#sendWhole(batch);
    if (report !== null) {
      yield report;
      return;
    }
    for (const half of halves(batch) ?? []) yield* this.send(half);
  }

  /** Null when the batch is too large for the server and can be cut. */
  async #sendWhole(batch: LineBatch): Promise<Sent | null> {
    const { target, isLenient, signal } = this.#options;
    const precision = this.#precision;
    let deadlineMs: number | null = null;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const { ingested, rejected, errors, warnings } = await target.ingest(batch.bytes, {
          ...(precision === null ? {} : { precision }),
          on_error: isLenient ? 'skip' : 'fail',
          signal,
        });
        this.#hasStored = true;
        this.#warn(warnings);
        return {
          ...{ batch, ingested, rejected, spoiledCells: 0 },
          errors: errors.map((one) => ({ ...one, cells: 0 })),
        };
      } catch (error) {
        if (!(error instanceof SeriesDbError)) throw error;
        if (error.code === 'payload_too_large' && halves(batch) !== null) return null;
        deadlineMs = this.#deadline(error, deadlineMs);
        const backoffMs = Math.min(delayMinMs * 2 ** Math.min(attempt, 5), delayMaxMs);
        await pause(Math.max(backoffMs, error.retryAfterMs ?? 0), null, { signal });
      }
    }
  }

  /** Each kind once a load is enough: the first. */
  #warn([first]: readonly string[]): void {
    if (first === undefined || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.notice(`warning: ${first}`);
  }

  /** Until when to wait. Throws when this error is none to wait for, or the time is over. */
  #deadline(error: SeriesDbError, deadlineMs: number | null): number {
    const isAway = error.code === clientCodes.network;
    // A server that was never there is most likely a wrong address: better said at once.
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
      const left = `more than --wait leaves of ${waitMs / 1000} s`;
      throw new CommandFailure(`the server asks to wait ${askedMs / 1000} s, ${left}: ${what}`);
    }
    if (deadlineMs === null) {
      const reason = isAway ? 'the server does not answer' : `the server is busy (${error.code})`;
      notice(`${reason}; waiting up to ${waitMs / 1000} s`);
    }
    return untilMs;
  }
}
