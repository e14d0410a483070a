/**
 * Things that come and go by the thousand, in the order in which they came.
 *
 * A Set that is used so is made anew every now and then, and each former table leads to the next:
 * one that the collector once took for old keeps all that follow, with what was in them, until it
 * looks at all of the memory.
 */

/** What can be in one chain at a time. */
export interface Link<Self> {
  before: Self | null;
  after: Self | null;
}

export class Chain<Item extends Link<Item>> {
  #first: Item | null = null;
  #last: Item | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** It is in no chain. */
  add(item: Item): void {
    item.before = this.#last;
    if (this.#last === null) this.#first = item;
    else this.#last.after = item;
    this.#last = item;
    this.#size += 1;
  }

  /** False where it is not in this chain; it is in no other. */
  delete(item: Item): boolean {
    const { before, after } = item;
    if (before === null && this.#first !== item) return false;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    item.before = null;
    item.after = null;
    this.#size -= 1;
    return true;
  }

  /** The one that is visited may be deleted meanwhile, and others may be added. */
  *[Symbol.iterator](): Generator<Item> {
    let next = this.#first;
    while (next !== null) {
      const item = next;
      next = item.after;
      yield item;
    }
  }
}
