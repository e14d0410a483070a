/**
 * A sum beside the rest that plain addition rounds away (Knuth's TwoSum). Both together are exact
 * for whole numbers and decimals, so that order does not matter; as base/compensated_sum.h has it.
 */
export class CompensatedSum {
  #sum = 0;
  #rest = 0;
  add(value: number): void {
    const next = this.#sum + value;
    const added = next - this.#sum;
    this.#rest += this.#sum - (next - added) + (value - added);
    this.#sum = next;
  }
  /** Rounded once. */
  total(): number {
    return this.#sum + this.#rest;
  }
}
