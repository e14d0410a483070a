/**
 * A sum together with the remainder that plain addition rounds away (Knuth's TwoSum). Both are
 * exact for whole numbers and decimals, so order does not matter. base/compensated_sum.h does the
 * same.
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
  /** The total, rounded once. */
  total(): number {
    return this.#sum + this.#rest;
  }
}
