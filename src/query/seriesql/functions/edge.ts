import { compareValues, type Value } from '../../values/value.js';

import type { TextAccount } from '../../limits/text-account.js';
import type { Accumulator, AggregatedRow } from './aggregate-function.js';

/** The value at the first or last time. Among equal times, the first or last series id wins. */
export class Edge implements Accumulator {
  readonly #direction: number;
  readonly #texts: TextAccount;
  #value: Value = null;
  #row: AggregatedRow | null = null;

  constructor(direction: 1 | -1, texts: TextAccount) {
    this.#direction = direction;
    this.#texts = texts;
  }

  add(value: Exclude<Value, null>, row: AggregatedRow): void {
    if (this.#row !== null && this.#direction * orderOf(row, this.#row) < 0) return;
    this.#texts.replace(this.#value, value);
    this.#value = value;
    this.#row = row;
  }

  result(): Value {
    return this.#value;
  }
}

function orderOf(left: AggregatedRow, right: AggregatedRow): number {
  if (left.time !== right.time) return left.time < right.time ? -1 : 1;
  return compareValues(left.series.id, right.series.id);
}
