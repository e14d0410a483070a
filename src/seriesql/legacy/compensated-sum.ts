/** Neumaier's sum: what plain addition rounds away is kept, so that order hardly matters. */
export class CompensatedSum {
  #sum = 0;
  #lost = 0;
  add(value: number): void {
    const next = this.#sum + value;
    this.#lost +=
      Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - next + value : value - next + this.#sum;
    this.#sum = next;
  }
  total(): number {
    return this.#sum + this.#lost;
  }
}
