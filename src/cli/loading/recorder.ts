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
}

/** The progress of one input. */
export class Recorder {
  readonly key: string;
  readonly before: LoadProgress | null;
  readonly #url: string;
  #begunMs: number;
  #place = { offset: 0, line: 0 };
  #ingested = 0;
  #rejected = 0;
  #leftOutFields = 0;
  #isDone = false;
  #begun = Buffer.alloc(0);
  #beginning: InputBeginning | null = null;

  constructor({ key, url, before, begunMs }: Recorded) {
    this.key = key;
    this.#url = url;
    this.before = before;
    this.#begunMs = begunMs;
    if (before === null) return;
    this.#place = { offset: before.offset, line: before.line };
    this.#ingested = before.ingested;
    this.#rejected = before.rejected;
    this.#leftOutFields = before.leftOutFields ?? 0;
    this.#beginning = before.beginning;
  }

  get place(): { readonly offset: number; readonly line: number } {
    return this.#place;
  }

  get begunMs(): number {
    return this.#begunMs;
  }

  /** Starts over from the beginning, with a new start time. */
  startOver(begunMs: number): void {
    this.#begunMs = begunMs;
    this.#place = { offset: 0, line: 0 };
    this.#ingested = 0;
    this.#rejected = 0;
    this.#leftOutFields = 0;
    this.#begun = Buffer.alloc(0);
    this.#beginning = null;
  }

  add({ batch, ingested, rejected, leftOutFields }: SentBatch): void {
    this.#place = batch.to;
    this.#ingested += ingested;
    this.#rejected += rejected;
    this.#leftOutFields += leftOutFields;
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
    const found = beginningOf(this.#begun.subarray(0, this.#place.offset));
    if (found.size === beginningSizeMax) this.#beginning = found;
    return found;
  }

  finish(): void {
    this.#isDone = true;
  }

  progress(): LoadProgress {
    return {
      ...{ url: this.#url, ...this.#place, ingested: this.#ingested, rejected: this.#rejected },
      ...{ beginning: this.#beginningNow(), isDone: this.#isDone },
      ...(this.#leftOutFields > 0 && { leftOutFields: this.#leftOutFields }),
      begunMs: this.#begunMs,
    };
  }
}
