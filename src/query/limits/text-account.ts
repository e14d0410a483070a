/**
 * Accounts for the memory of texts that queries hold in JavaScript, including their expressions. It
 * counts per query, and for all queries of a thread, which share its heap.
 */

import { AppError } from '../../common/errors/app-error.js';
import { utf8Size } from '../../common/model/names.js';

/** The bytes of a string and its table entry, without its characters. */
const kTextOverhead = 64;
/** A query that holds fewer bytes is never refused because of others. */
const kOwnBytes = 1024 * 1024;
/** All queries together may hold this many times the limit of one. */
const kShares = 2;

/** The bytes of a string together with one copy of it, packed or as a key. */
export function heldBytesOf(text: string): number {
  return kTextOverhead + 2 * utf8Size(text);
}

/** The bytes that all queries of a thread hold beyond their own allowance. */
export class TextPool {
  held = 0;
}

export class TextAccount {
  readonly max: number;
  readonly #pool: TextPool;
  #held = 0;
  #isOpen = true;
  #twins: TextAccount[] = [];

  /** The account of one query, which may hold `max` bytes. */
  constructor(max: number, pool = new TextPool()) {
    this.max = max;
    this.#pool = pool;
  }

  /**
   * An account for another run of the same query. It counts separately and closes with this one.
   */
  twin(): TextAccount {
    const twin = new TextAccount(this.max, this.#pool);
    this.#twins.push(twin);
    return twin;
  }

  get held(): number {
    return this.#held;
  }

  /** Call before a text is stored. Throws `query_limit_exceeded`. */
  holdText(text: string): void {
    this.hold(heldBytesOf(text));
  }

  /** Throws `query_limit_exceeded` if that many more bytes are too many. */
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

  /** Replaces one value by another. Only texts count. Throws as hold() does. */
  replace(old: unknown, value: unknown): void {
    if (typeof value === 'string') this.holdText(value);
    if (typeof old === 'string') this.giveBackText(old);
  }

  /** The query has ended: returns its share to other queries. Idempotent. */
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
