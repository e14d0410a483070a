/**
 * A Parquet file as lines. It is read in a thread of its own with a heap of bounded size: a damaged
 * file ends that thread at worst, and an interruption need not wait for it.
 */

import { Worker } from 'node:worker_threads';

import { CommandFailure } from '../session/failure.js';

import type { Input } from './input.js';
import { countNewlines } from './line-batches.js';
import { RowBook, RowRefusal } from '../../tables/row-book.js';

import type { ParquetMessage, ParquetOrder } from './parquet-worker.js';
import type { Guessed, ParquetOptions } from './parquet-rows.js';

/** Far more than a group of rows takes that programs write. */
const heapSizeMb = 2048;

interface ReadLimits {
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** How long a group of rows may take. */
  readonly groupMs?: number;
  /** Hears what the columns were taken for, where that was guessed. */
  readonly tell?: (guessed: Guessed) => void;
}

/** A large group takes some seconds; what a damaged one says of itself may take for ever. */
const groupMsMax = 60_000;

/** The time is counted in so many parts: a process that is paused loses no more than one. */
const ticksMax = 10;

/** The lines of the table that the file holds. */
export async function parquetInput(
  { name, size: bytes }: Input,
  options: ParquetOptions,
  limits: ReadLimits,
): Promise<Input> {
  if (bytes === null) {
    throw new CommandFailure(
      'a Parquet file is read from its end, which a stream has not: name it',
    );
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

  /** Throws CommandFailure and RowRefusal, and then the thread has ended. */
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
        failed(`a group of its rows was not read within ${this.#groupMs / 1000} s`);
      }, this.#groupMs / ticksMax);
      this.#worker.removeAllListeners();
      this.#worker.on('message', (one: ParquetMessage) => {
        if (one.kind === 'progress') ticks = 0;
        else settle(one);
      });
      this.#worker.once('exit', () => {
        failed('its reader ended before it was read');
      });
      this.#worker.once('error', ({ message: reason }) => {
        failed(`it is damaged, or groups of its rows are too large: ${reason}`);
      });
      this.#worker.postMessage('next');
    });
    this.#signal.throwIfAborted();
    return message;
  }
}
