/** Work that fills the heap of JavaScript: one runs at a time, the others wait in line. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<Found>(work: () => Promise<Found>): Promise<Found> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
