/**
 * Remembers values by the text around FROM and WHERE, to recognise a text before it is parsed. If
 * two texts begin and end alike, and a token always ends at these places, their tokens there are
 * equal.
 */

import type { Span } from './language/query-text.js';

/** The most patterns in total. */
const kPatternsMax = 256;
/** The most tails per head. */
const kTailsMax = 8;

/** No token can extend across the start or the end of such a tail. */
const closedTail = /^(?:\s+(?:group|having|order|limit)\b|\s*;?\s*$)/i;
/** Only these two spellings: matching any case takes twice as long. */
const firstFrom = /\s(?:from|FROM)\s/;

export interface Around {
  readonly head: string;
  readonly tail: string;
}

interface KeptPattern<Value> {
  readonly around: Around;
  readonly value: Value;
}

export class StatementPatterns<Value> {
  /**
   * Keyed by the text before the source. Heads and tails are in order of use; the most recent is
   * last.
   */
  readonly #byHead = new Map<string, KeptPattern<Value>[]>();
  #count = 0;
  /** The head used last. If it is used again, the order does not change. */
  #lastHead: string | null = null;

  get({ head, tail }: Around): Value | null {
    const tails = this.#byHead.get(head);
    return tails?.find(({ around }) => around.tail === tail)?.value ?? null;
  }

  /** The value for a text, and the span of its source and WHERE; null if uncertain. */
  find(text: string): { readonly value: Value; readonly span: Span } | null {
    const at = text.search(firstFrom);
    if (at < 0) return null;
    const start = at + ' from '.length;
    const head = text.slice(0, start);
    const tails = this.#byHead.get(head);
    const place = tails?.findLastIndex(({ around }) => endsWith(text, start, around.tail)) ?? -1;
    const kept = tails?.[place];
    if (tails === undefined || kept === undefined) return null;
    if (place < tails.length - 1) tails.push(...tails.splice(place, 1));
    this.#putLast(head, tails);
    return { value: kept.value, span: { start, end: text.length - kept.around.tail.length } };
  }

  add(around: Around, value: Value): void {
    const known = this.#byHead.get(around.head) ?? [];
    const tails = known.filter(({ around: { tail } }) => tail !== around.tail).slice(1 - kTailsMax);
    tails.push({ around, value });
    this.#count += tails.length - known.length;
    this.#putLast(around.head, tails);
    if (this.#count > kPatternsMax) this.#forgetOldest();
  }

  #putLast(head: string, tails: KeptPattern<Value>[]): void {
    if (head !== this.#lastHead) this.#byHead.delete(head);
    this.#byHead.set(head, tails);
    this.#lastHead = head;
  }

  #forgetOldest(): void {
    for (const [head, tails] of this.#byHead) {
      this.#byHead.delete(head);
      this.#count -= tails.length;
      return;
    }
  }
}

/** True if the text ends with the tail, and a token always ends before it. */
function endsWith(text: string, start: number, tail: string): boolean {
  return text.length > start + tail.length && text.endsWith(tail) && closedTail.test(tail);
}
