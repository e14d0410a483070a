/** A cache of facts about names. Entries expire, since stored data changes without notice. */

/**
 * Holds at most `sizeMax` entries, each for at most `ms` milliseconds. It drops all entries at
 * once.
 */
export class KeptMap<V> {
  readonly #kept = new Map<string, V>();
  readonly #sizeMax: number;
  readonly #ms: number;
  readonly #clock: () => number;
  #sinceMs = 0;

  /** `clock` returns milliseconds. */
  constructor(
    { sizeMax, ms }: { readonly sizeMax: number; readonly ms: number },
    clock: () => number = () => performance.now(),
  ) {
    this.#sizeMax = sizeMax;
    this.#ms = ms;
    this.#clock = clock;
  }

  get(name: string): V | undefined {
    if (this.#isOld()) this.#kept.clear();
    return this.#kept.get(name);
  }

  set(name: string, value: V): void {
    if (this.#isOld() || this.#kept.size >= this.#sizeMax) this.#kept.clear();
    if (this.#kept.size === 0) this.#sinceMs = this.#clock();
    this.#kept.set(name, value);
  }

  #isOld(): boolean {
    return this.#clock() - this.#sinceMs > this.#ms;
  }
}
