/**
 * Connections that are closed for sending, whose clients have not yet received the end of the
 * answer. If a client sends a byte after a full close, its system drops the rest of the answer. So
 * the server goes on reading, as RFC 9112 (9.6) says, within limits.
 */

/** Most such connections of a listener thread. Beyond it the oldest is cut. */
const kCountMax = 256;
/** Most bytes of one client that are read and discarded meanwhile. */
const kDiscardedMax = 64 * 1024 * 1024;
/** The minimum long-run rate of reading an answer. Slower clients are cut. */
export const kAnswerBytesPerMs = 1;

interface Closing {
  destroy(): void;
}

export class Lingering {
  readonly #all = new Set<Closing>();

  add(closing: Closing): void {
    this.#all.add(closing);
    if (this.#all.size <= kCountMax) return;
    for (const oldest of this.#all) {
      this.#all.delete(oldest);
      oldest.destroy();
      return;
    }
  }

  delete(closing: Closing): void {
    this.#all.delete(closing);
  }
}

/** Decides how long one connection lingers. Times are in milliseconds. */
export class Linger {
  readonly #silenceMaxMs: number;
  #unconfirmed = 0;
  #discarded = 0;
  #end = Infinity;
  #silentEnd = Infinity;

  /** A client that confirms nothing for `silenceMaxMs` is given up. */
  constructor(silenceMaxMs: number) {
    this.#silenceMaxMs = silenceMaxMs;
  }

  /** False if the client has sent more than is discarded. */
  discard(size: number): boolean {
    this.#discarded += size;
    return this.#discarded <= kDiscardedMax;
  }

  /** Called periodically. False if the connection may be closed completely. */
  goesOn(unconfirmed: number, now: number): boolean {
    const before = this.#unconfirmed;
    this.#unconfirmed = unconfirmed;
    // After the last confirmation the client has one more period to close its side.
    if (unconfirmed === 0) return before > 0;
    if (before === 0) {
      this.#end = now + this.#silenceMaxMs + unconfirmed / kAnswerBytesPerMs;
    }
    if (before === 0 || unconfirmed < before) this.#silentEnd = now + this.#silenceMaxMs;
    return now < this.#end && now < this.#silentEnd;
  }
}
