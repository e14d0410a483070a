/**
 * Counts the requests to a store. The thread that sends them counts; others read the same memory at
 * any time, also after that thread has ended.
 */

import { nativeNames, type NativeName } from '../storage/native/names.js';

type StoreOp = NativeName<'storeOps'>;
type StoreOutcome = NativeName<'storeOutcomes'>;

const { storeOps: ops, storeOutcomes: outcomes } = nativeNames;

/** Of each operation: its outcomes, and the bytes of bodies in both directions. */
const kWidth = outcomes.length + 1;

/** As in the names of metrics. */
const inSnakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export class StoreCounts {
  readonly shared: SharedArrayBuffer;
  readonly #numbers: BigUint64Array;

  constructor(
    shared = new SharedArrayBuffer(ops.length * kWidth * BigUint64Array.BYTES_PER_ELEMENT),
  ) {
    this.shared = shared;
    this.#numbers = new BigUint64Array(shared);
  }

  count(op: StoreOp, outcome: StoreOutcome, bytes: number): void {
    const at = ops.indexOf(op) * kWidth;
    Atomics.add(this.#numbers, at + outcomes.indexOf(outcome), 1n);
    Atomics.add(this.#numbers, at + outcomes.length, BigInt(bytes));
  }

  requests(): readonly { readonly op: string; readonly outcome: string; readonly count: number }[] {
    return ops.flatMap((op, row) =>
      outcomes.map((outcome, column) => ({
        ...{ op: inSnakeCase(op), outcome: inSnakeCase(outcome) },
        count: this.#at(row * kWidth + column),
      })),
    );
  }

  bytes(): readonly { readonly op: string; readonly bytes: number }[] {
    return ops.map((op, row) => ({
      op: inSnakeCase(op),
      bytes: this.#at(row * kWidth + outcomes.length),
    }));
  }

  #at(index: number): number {
    return Number(Atomics.load(this.#numbers, index));
  }
}
