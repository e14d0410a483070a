/**
 * Reads the answer of a range query, `[{"ts":1,"value":2},…]`, from text pieces of any size. A text
 * that ends early or continues too long is an error; samples are never silently missing.
 */

import { invalidAnswer } from './client-error.js';

import type { Sample } from './shapes.js';

const samplePattern = /\{"ts":(-?\d+),"value":(null|-?\d[\d.eE+-]*)\}([,\]])/y;

/**
 * The longest sample in characters: 20 digits of ts, 25 characters of a double, and the JSON around
 * them.
 */
const sampleLengthMax = 80;

export class SampleReader {
  #rest = '';
  #state: 'start' | 'inside' | 'end' = 'start';

  /** Returns the samples that `text` completes. Throws `invalid_answer`. */
  read(text: string): Sample[] {
    this.#rest += text;
    const samples: Sample[] = [];
    if (this.#state === 'start') this.#readStart();
    if (this.#state === 'inside') this.#readSamples(samples);
    if (this.#state === 'end' && this.#rest.trim() !== '') {
      throw invalidAnswer('there is text after the list of samples');
    }
    return samples;
  }

  /** Call this at the end of the text. Throws `invalid_answer` if the list is not complete. */
  finish(): void {
    if (this.#state !== 'end') throw invalidAnswer('the list of samples was cut short');
  }

  #readStart(): void {
    if (this.#rest.length < 2) return;
    if (!this.#rest.startsWith('[')) throw invalidAnswer('the answer is not a list of samples');
    const isEmpty = this.#rest.startsWith('[]');
    this.#rest = this.#rest.slice(isEmpty ? 2 : 1);
    this.#state = isEmpty ? 'end' : 'inside';
  }

  #readSamples(samples: Sample[]): void {
    const text = this.#rest;
    let at = 0;
    while (this.#state === 'inside') {
      samplePattern.lastIndex = at;
      const [, ts, value, follow] = samplePattern.exec(text) ?? [];
      if (ts === undefined || value === undefined) break;
      samples.push({ ts: BigInt(ts), value: value === 'null' ? null : Number(value) });
      at = samplePattern.lastIndex;
      if (follow === ']') this.#state = 'end';
    }
    this.#rest = text.slice(at);
    if (this.#state === 'inside' && this.#rest.length > sampleLengthMax) {
      throw invalidAnswer('the answer is not a list of samples');
    }
  }
}
