/**
 * What comes later, to one who waits. A promise tells it in a turn of its own, and is some objects
 * more: on the way of a small request through its layers that took as long as parsing it.
 */

type Outcome<Value> =
  | { readonly isDone: true; readonly value: Value }
  | { readonly isDone: false; readonly error: unknown };

export class Later<Value> implements PromiseLike<Value> {
  #done: ((value: Value) => void) | null = null;
  #failed: (error: unknown) => void = nobody;
  /** Null until it is there, and where it was told at once. */
  #outcome: Outcome<Value> | null = null;

  static of<Value>(value: Value): Later<Value> {
    const later = new Later<Value>();
    later.settle(value);
    return later;
  }

  static from<Value>(promise: Promise<Value>): Later<Value> {
    const later = new Later<Value>();
    promise.then(
      (value) => {
        later.settle(value);
      },
      (error: unknown) => {
        later.fail(error);
      },
    );
    return later;
  }

  /** It is there. One of `settle` and `fail` is called, once. */
  settle(value: Value): void {
    if (this.#done === null) this.#outcome = { isDone: true, value };
    else this.#done(value);
  }

  fail(error: unknown): void {
    if (this.#done === null) this.#outcome = { isDone: false, error };
    else this.#failed(error);
  }

  /** Calls one of them, at once when it is there already. Call it once; neither may throw. */
  tell(done: (value: Value) => void, failed: (error: unknown) => void): void {
    this.#done = done;
    this.#failed = failed;
    const outcome = this.#outcome;
    if (outcome === null) return;
    if (outcome.isDone) done(outcome.value);
    else failed(outcome.error);
  }

  /** What `change`, which may throw, makes of it. */
  map<Changed>(change: (value: Value) => Changed): Later<Changed> {
    const later = new Later<Changed>();
    const fail = (error: unknown): void => {
      later.fail(error);
    };
    this.tell((value) => {
      let changed: Changed;
      try {
        changed = change(value);
      } catch (error) {
        fail(error);
        return;
      }
      later.settle(changed);
    }, fail);
    return later;
  }

  /** For `await`. */
  then<Kept = Value, Caught = never>(
    done?: ((value: Value) => Kept | PromiseLike<Kept>) | null,
    failed?: ((error: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Kept | Caught> {
    return new Promise<Value>((resolve, reject) => {
      this.tell(resolve, reject);
    }).then(done, failed);
  }
}

function nobody(): void {
  // Nobody waits yet.
}
