/**
 * A value that arrives later, for one receiver. A promise would use a microtask and several objects
 * more. On the way of a small request through the layers, promises took as long as parsing it.
 */

type LaterOutcome<Value> =
  | { readonly isDone: true; readonly value: Value }
  | { readonly isDone: false; readonly error: unknown };

export class Later<Value> implements PromiseLike<Value> {
  #done: ((value: Value) => void) | null = null;
  #failed: (error: unknown) => void = nobody;
  /** Null before the result, and if `tell` was called before the result. */
  #outcome: LaterOutcome<Value> | null = null;

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

  /** Delivers the value. Call either `settle` or `fail`, once. */
  settle(value: Value): void {
    if (this.#done === null) this.#outcome = { isDone: true, value };
    else this.#done(value);
  }

  fail(error: unknown): void {
    if (this.#done === null) this.#outcome = { isDone: false, error };
    else this.#failed(error);
  }

  /**
   * Calls one callback: now if the result is there, otherwise later. Call it once; neither callback
   * may throw.
   */
  tell(done: (value: Value) => void, failed: (error: unknown) => void): void {
    this.#done = done;
    this.#failed = failed;
    const outcome = this.#outcome;
    if (outcome === null) return;
    if (outcome.isDone) done(outcome.value);
    else failed(outcome.error);
  }

  /** The value as `change` converts it. If `change` throws, the result fails. */
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

  /** Makes `await` work. */
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
  // No receiver yet.
}
