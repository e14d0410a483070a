/**
 * The memory of the texts that queries hold in JavaScript, their own expressions among them: of
 * each query, and of all that run in one thread, which share its heap.
 */

import { AppError } from '../../common/errors/app-error.js';
import { utf8Size } from '../../common/model/names.js';

/** What a string and its place in a table take beside its characters. */
const kTextOverhead = 64;
/** A query that holds less is never refused because of others. */
const kOwnBytes = 1024 * 1024;
/** All queries together hold so many times what one may. */
const kShares = 2;

/** What a text takes as a string beside a copy of it, packed or as a key. */
export function heldBytesOf(text: string): number {
  return kTextOverhead + 2 * utf8Size(text);
}

/** What all queries of a thread hold, past what each has for itself. */
export class TextPool {
  held = 0;
}

export class TextAccount {
  readonly max: number;
  readonly #pool: TextPool;
  #held = 0;
  #isOpen = true;
  #twins: TextAccount[] = [];

  /** Of one query that may hold `max` bytes. */
  constructor(max: number, pool = new TextPool()) {
    this.max = max;
    this.#pool = pool;
  }

  /** For another run of the same query, which counts by itself, and ends with this one. */
  twin(): TextAccount {
    const twin = new TextAccount(this.max, this.#pool);
    this.#twins.push(twin);
    return twin;
  }

  get held(): number {
    return this.#held;
  }

  /** Call before a text is kept. Throws `query_limit_exceeded`. */
  holdText(text: string): void {
    this.hold(heldBytesOf(text));
  }

  /** Throws `query_limit_exceeded` where so many more bytes are too many. */
  hold(bytes: number): void {
    const pooled = pooledOf(this.#held + bytes) - pooledOf(this.#held);
    if (this.#held + bytes > this.max) throw exceeded('the query holds', this.max);
    if (pooled > 0 && this.#pool.held + pooled > kShares * this.max) {
      throw exceeded('all queries together hold', kShares * this.max);
    }
    this.#held += bytes;
    if (this.#isOpen) this.#pool.held += pooled;
  }

  giveBackText(text: string): void {
    this.giveBack(heldBytesOf(text));
  }

  giveBack(bytes: number): void {
    if (this.#isOpen) this.#pool.held -= pooledOf(this.#held) - pooledOf(this.#held - bytes);
    this.#held -= bytes;
  }

  /** One value takes the place of another; what is no text takes nothing. Throws as hold() does. */
  replace(old: unknown, value: unknown): void {
    if (typeof value === 'string') this.holdText(value);
    if (typeof old === 'string') this.giveBackText(old);
  }

  /** The query has ended: others may have its share. Idempotent. */
  close(): void {
    if (this.#isOpen) this.#pool.held -= pooledOf(this.#held);
    this.#isOpen = false;
    for (const twin of this.#twins.splice(0)) twin.close();
  }
}

const pooledOf = (held: number): number => Math.max(0, held - kOwnBytes);

function exceeded(who: string, max: number): AppError {
  const hint = 'narrow it down, or raise memory_limit_bytes';
  return new AppError('query_limit_exceeded', `${who} more than ${max} bytes of texts; ${hint}`);
}
