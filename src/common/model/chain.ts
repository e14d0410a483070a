/**
 * A linked list in insertion order, for thousands of short-lived items.
 *
 * A Set that is used so replaces its hash table often, and each old table points to the next one.
 * If an old table reaches V8's old generation, it retains all later tables and their items until a
 * full collection.
 */

/** The links of an item. An item is in at most one chain at a time. */
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

  /** REQUIRES: the item is in no chain. */
  add(item: Item): void {
    item.before = this.#last;
    if (this.#last === null) this.#first = item;
    else this.#last.after = item;
    this.#last = item;
    this.#size += 1;
  }

  /** Returns false if the item is not in this chain. REQUIRES: it is in no other chain. */
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

  /** During the iteration, the visited item may be deleted, and others may be added. */
  *[Symbol.iterator](): Generator<Item> {
    let next = this.#first;
    while (next !== null) {
      const item = next;
      next = item.after;
      yield item;
    }
  }
}
