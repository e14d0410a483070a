/**
 * Reads a Parquet file as lines, in a thread with a bounded heap. A damaged file at worst ends that
 * thread, and an interruption does not wait for it.
 */

import { Worker } from 'node:worker_threads';

import { CommandFailure } from '../session/failure.js';

import type { Input } from './input.js';
import { countNewlines } from './line-ends.js';
import { RowBook, RowRefusal } from '../../common/tables/row-book.js';

import type { ParquetMessage, ParquetOrder } from './parquet-worker.js';
import type { Guessed, ParquetOptions } from './parquet-rows.js';

/** The heap limit of the thread, far more than a row group of usual programs needs. */
const heapSizeMb = 2048;

interface ReadLimits {
  /** Cancels the read. */
  readonly signal: AbortSignal;
  /** Time limit of a row group. */
  readonly groupMs?: number;
  /** Gets the detected column roles. */
  readonly tell?: (guessed: Guessed) => void;
}

/** A large row group takes some seconds; a damaged one may loop for ever. */
const groupMsMax = 60_000;

/** Time is counted in small parts: a paused process loses at most one part. */
const ticksMax = 10;

/** The lines of the file's table. */
export async function parquetInput(
  { name, size: bytes }: Input,
  options: ParquetOptions,
  limits: ReadLimits,
): Promise<Input> {
  if (bytes === null) {
    throw new CommandFailure('a Parquet file cannot be read from a stream: name the file');
  }
  const thread = new ParquetThread({ name, options }, limits);
  const first = await thread.next();
  if (first.kind !== 'open') throw new CommandFailure(`cannot read ${name}: no rows were found`);
  if (first.guessed !== null) limits.tell?.(first.guessed);
  const rows = new RowBook({ noun: 'row', isLenient: options.isLenient });
  const size = first.rowCount;
  const place = { row: 0 };
  return { name, size, position: () => place.row, bytes: linesOf(thread, rows, place), rows };
}

async function* linesOf(
  thread: ParquetThread,
  rows: RowBook,
  place: { row: number },
): AsyncGenerator<Buffer<ArrayBuffer>> {
  try {
    for (;;) {
      const message = await thread.next();
      if (message.kind !== 'lines') return;
      for (const row of message.refused) rows.refuse(row);
      const bytes = Buffer.from(message.bytes.buffer);
      place.row += countNewlines(bytes);
      yield bytes;
    }
  } finally {
    await thread.stop();
  }
}

class ParquetThread {
  readonly #name: string;
  readonly #worker: Worker;
  readonly #signal: AbortSignal;
  readonly #groupMs: number;
  readonly #stop = (): void => {
    void this.#worker.terminate();
  };

  constructor(order: ParquetOrder, { signal, groupMs = groupMsMax }: ReadLimits) {
    this.#name = order.name;
    this.#signal = signal;
    this.#groupMs = groupMs;
    this.#worker = new Worker(new URL('./parquet-worker.js', import.meta.url), {
      workerData: order,
      resourceLimits: { maxOldGenerationSizeMb: heapSizeMb },
    });
    signal.addEventListener('abort', this.#stop, { once: true });
  }

  /** Throws CommandFailure and RowRefusal; the thread has ended then. */
  async next(): Promise<ParquetMessage> {
    const message = await this.#ask();
    if (message.kind === 'refusal') {
      await this.stop();
      throw new RowRefusal(message.row);
    }
    if (message.kind !== 'failure') return message;
    await this.stop();
    throw new CommandFailure(`cannot read ${this.#name}: ${message.reason}`);
  }

  async stop(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#stop);
    await this.#worker.terminate();
  }

  async #ask(): Promise<ParquetMessage> {
    this.#signal.throwIfAborted();
    const message = await new Promise<ParquetMessage>((resolve) => {
      let ticks = 0;
      const settle = (one: ParquetMessage): void => {
        clearInterval(timer);
        resolve(one);
      };
      const failed = (reason: string): void => {
        settle({ kind: 'failure', reason });
      };
      const timer = setInterval(() => {
        ticks += 1;
        if (ticks < ticksMax) return;
        failed(`a row group was not read within ${this.#groupMs / 1000} s`);
      }, this.#groupMs / ticksMax);
      this.#worker.removeAllListeners();
      this.#worker.on('message', (one: ParquetMessage) => {
        if (one.kind === 'progress') ticks = 0;
        else settle(one);
      });
      this.#worker.once('exit', () => {
        failed('its reader process ended early');
      });
      this.#worker.once('error', ({ message: reason }) => {
        failed(`it is damaged, or its row groups are too large: ${reason}`);
      });
      this.#worker.postMessage('next');
    });
    this.#signal.throwIfAborted();
    return message;
  }
}
