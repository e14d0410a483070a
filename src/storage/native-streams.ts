/** Streams of the addon, read piece by piece. */
import { freeBytes, giveBytes, type Free } from '../common/model/given-bytes.js';

import { guarded, guardedAsync } from './guarded.js';

import type { NativeJsonReader, NativeQueryReader } from './native/contract.js';
import type {
  BatchStream,
  ByteStream,
  OpenedSteps,
  ReadStats,
  StepPrint,
  StepTable,
  TextPiece,
} from './storage.js';

export class NativeByteStream implements ByteStream {
  readonly #reader: NativeJsonReader;
  readonly #free: Free;

  constructor(reader: NativeJsonReader, free: Free) {
    this.#reader = reader;
    this.#free = free;
  }

  async next(): Promise<Uint8Array | null> {
    const piece = await guardedAsync(this.#reader.next());
    return piece === null ? null : giveBytes(new Uint8Array(piece), this.#free);
  }

  close(): void {
    this.#reader.close();
  }
}

/** Makes each piece while the previous one is sent. */
export class AheadStream implements ByteStream {
  readonly #stream: ByteStream;
  #next: Promise<Uint8Array | null> | null = null;
  #isClosed = false;

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  async next(): Promise<Uint8Array | null> {
    const piece = await (this.#next ?? this.#stream.next());
    this.#next = piece === null || this.#isClosed ? null : this.#stream.next();
    // Its failure may have no listener.
    this.#next?.catch(() => undefined);
    return piece;
  }

  close(): void {
    this.#isClosed = true;
    this.#stream.close();
  }
}

export class NativeBatchStream<Batch> implements BatchStream<Batch> {
  readonly #reader: NativeQueryReader<Batch>;

  constructor(reader: NativeQueryReader<Batch>) {
    this.#reader = reader;
  }

  next(): Promise<Batch | null> {
    return guardedAsync(this.#reader.next());
  }

  stats(): ReadStats {
    return guarded(() => this.#reader.stats());
  }

  close(): void {
    this.#reader.close();
  }
}

export class NativeTextStream extends NativeBatchStream<TextPiece> {
  readonly #free: Free;

  constructor(reader: NativeQueryReader<TextPiece>, free: Free) {
    super(reader);
    this.#free = free;
  }

  override async next(): Promise<TextPiece | null> {
    const piece = await super.next();
    if (piece !== null) giveBytes(piece.text, this.#free);
    return piece;
  }
}

class NativeStepStream extends NativeBatchStream<StepTable> {
  readonly #free: Free;

  constructor(reader: NativeQueryReader<StepTable>, free: Free) {
    super(reader);
    this.#free = free;
  }

  override async next(): Promise<StepTable | null> {
    const table = await super.next();
    return table === null ? null : given(table, this.#free);
  }
}

function given(table: StepTable, free: Free): StepTable {
  giveBytes(table.values, free);
  if (table.present !== null) giveBytes(table.present, free);
  return table;
}

/** A complete table, or its reader. */
export function openedSteps(
  opened: StepTable | NativeQueryReader<StepTable>,
  free: Free,
): OpenedSteps {
  return 'rowCount' in opened ? given(opened, free) : new NativeStepStream(opened, free);
}

/**
 * Releases the printed values at the end of the stream. If it is closed earlier, the addon may
 * still use them.
 */
export class PrintedSteps implements ByteStream {
  readonly #stream: ByteStream;
  readonly #print: StepPrint;
  #isEnded = false;

  constructor(stream: ByteStream, print: StepPrint) {
    this.#stream = stream;
    this.#print = print;
  }

  async next(): Promise<Uint8Array | null> {
    const piece = this.#isEnded ? null : await this.#stream.next();
    if (piece === null) this.#end();
    return piece;
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { values, present } = this.#print;
    freeBytes(values);
    if (present !== null) freeBytes(present);
  }

  close(): void {
    this.#stream.close();
  }
}
