/** Counts the values that a query holds at a time, before they are allocated. */

import { AppError } from '../../../common/errors/app-error.js';

/** The number of cells that each array was counted with. */
const counted = new WeakMap<Float64Array, number>();

/** `to` replaces `from` and takes over its count. */
export function handOn(from: Float64Array, to: Float64Array): void {
  const count = counted.get(from);
  if (count === undefined || from === to) return;
  counted.delete(from);
  counted.set(to, count);
}

export class CellAccount {
  readonly max: number;
  #held = 0;
  #most = 0;

  constructor(max: number) {
    this.max = max;
  }

  get held(): number {
    return this.#held;
  }

  /** The most values held at a time. */
  get most(): number {
    return this.#most;
  }

  /** Throws `query_limit_exceeded` if that many more values are too many. */
  require(count: number): void {
    if (this.#held + count <= this.max) return;
    throw new AppError(
      'query_limit_exceeded',
      `the query holds more than max_query_cells = ${this.max} values at a time; narrow it down`,
    );
  }

  /** Throws as require() does. */
  make(count: number): Float64Array {
    this.require(count);
    const values = new Float64Array(count);
    this.adopt(values);
    return values;
  }

  /** Counts an array made elsewhere. Throws as require() does. */
  adopt(values: Float64Array): void {
    this.require(values.length);
    this.#held += values.length;
    this.#most = Math.max(this.#most, this.#held);
    counted.set(values, values.length);
  }

  /** Releases an array. An array that was not counted has no effect. */
  giveBack(values: Float64Array): void {
    this.#held -= counted.get(values) ?? 0;
    counted.delete(values);
  }
}
