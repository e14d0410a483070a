/** Records how far one input is loaded, for a later run that continues. */

import { beginningOf, beginningSizeMax, type InputBeginning } from './input.js';

import type { LoadProgress } from './resume-file.js';
import type { SentBatch } from './sender.js';

/** One input and its target. */
interface Recorded {
  readonly key: string;
  readonly url: string;
  /** Its progress in earlier runs. */
  readonly before: LoadProgress | null;
  readonly begunMs: number;
  /** The meaning of the input's bytes, if it is not in them. */
  readonly meaning?: string;
}

const nothing = { ingested: 0, rejected: 0, leftOutFields: 0 };

/** The progress of one input. */
export class Recorder {
  readonly key: string;
  readonly before: LoadProgress | null;
  readonly #url: string;
  #begunMs: number;
  #place = { offset: 0, line: 0 };
  #line = 0;
  #loaded = nothing;
  /** What parts of a batch are loaded beyond `#place`. */
  #beyond = nothing;
  #meaning: string;
  #isDone = false;
  #begun = Buffer.alloc(0);
  #beginning: InputBeginning | null = null;

  constructor({ key, url, before, begunMs, meaning = '' }: Recorded) {
    this.#meaning = meaning;
    this.key = key;
    this.#url = url;
    this.before = before;
    this.#begunMs = begunMs;
    if (before === null) return;
    this.#place = { offset: before.offset, line: before.line };
    this.#line = before.line;
    const { ingested, rejected, leftOutFields = 0 } = before;
    this.#loaded = { ingested, rejected, leftOutFields };
    this.#beginning = before.beginning;
  }

  get place(): { readonly offset: number; readonly line: number } {
    return this.#place;
  }

  /** The last loaded line. */
  get line(): number {
    return this.#line;
  }

  get begunMs(): number {
    return this.#begunMs;
  }

  /** Starts over from the beginning, with a new start time. */
  startOver(begunMs: number, meaning = ''): void {
    this.#begunMs = begunMs;
    this.#meaning = meaning;
    this.#place = { offset: 0, line: 0 };
    this.#line = 0;
    this.#loaded = nothing;
    this.#begun = Buffer.alloc(0);
    this.#beginning = null;
  }

  add({ batch, ingested, rejected, leftOutFields }: SentBatch): void {
    this.#line = batch.to.line;
    this.#beyond = sumOf(this.#beyond, { ingested, rejected, leftOutFields });
    // A later run loads the whole batch again.
    if (batch.isPart === true) return;
    this.#place = batch.to;
    this.#loaded = sumOf(this.#loaded, this.#beyond);
    this.#beyond = nothing;
  }

  /** Passes the bytes on, and keeps their beginning, which tells this input from another. */
  async *noted(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of bytes) {
      this.#note(piece);
      yield piece;
    }
  }

  #note(piece: Buffer): void {
    if (this.#beginning !== null || this.#begun.length === beginningSizeMax) return;
    const wanted = beginningSizeMax - this.#begun.length;
    this.#begun = Buffer.concat([this.#begun, piece.subarray(0, wanted)]);
  }

  /** Of the loaded bytes alone: the rest may be repaired before the next run. */
  #beginningNow(): InputBeginning {
    if (this.#beginning !== null) return this.#beginning;
    const found = beginningOf(this.#begun.subarray(0, this.#place.offset), this.#meaning);
    if (found.size === beginningSizeMax) this.#beginning = found;
    return found;
  }

  finish(): void {
    this.#isDone = true;
  }

  progress(): LoadProgress {
    const { ingested, rejected, leftOutFields } = this.#loaded;
    return {
      ...{ url: this.#url, ...this.#place, ingested, rejected },
      ...{ beginning: this.#beginningNow(), isDone: this.#isDone },
      ...(leftOutFields > 0 && { leftOutFields }),
      begunMs: this.#begunMs,
    };
  }
}

function sumOf(left: typeof nothing, right: typeof nothing): typeof nothing {
  return {
    ingested: left.ingested + right.ingested,
    rejected: left.rejected + right.rejected,
    leftOutFields: left.leftOutFields + right.leftOutFields,
  };
}
