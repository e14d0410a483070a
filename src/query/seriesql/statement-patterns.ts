/**
 * What is kept of statements by the text around FROM and WHERE. A text is known again before it is
 * parsed: one that begins and ends as another did, at places where tokens end whatever follows, has
 * the same tokens there.
 */

import type { Span } from './language/query-text.js';

/** Of all together. */
const kPatternsMax = 256;
/** Of those that begin alike. */
const kTailsMax = 8;

/** No token goes on over what stands before these, or over the end. */
const closedTail = /^(?:\s+(?:group|having|order|limit)\b|\s*;?\s*$)/i;
/** Without other mixtures of case it is found in half the time. */
const firstFrom = /\s(?:from|FROM)\s/;

export interface Around {
  readonly head: string;
  readonly tail: string;
}

interface Kept<Value> {
  readonly around: Around;
  readonly value: Value;
}

export class StatementPatterns<Value> {
  /** By what stands before the source. The one used last is the last, of tails as well. */
  readonly #byHead = new Map<string, Kept<Value>[]>();
  #count = 0;
  /** The one used last. Where it comes again, nothing has to be put in order. */
  #lastHead: string | null = null;

  get({ head, tail }: Around): Value | null {
    const tails = this.#byHead.get(head);
    return tails?.find(({ around }) => around.tail === tail)?.value ?? null;
  }

  /** That of a text, and where its source and its WHERE stand; null where that is not certain. */
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

  #putLast(head: string, tails: Kept<Value>[]): void {
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

/** Where a token ends whatever stands before it. */
function endsWith(text: string, start: number, tail: string): boolean {
  return text.length > start + tail.length && text.endsWith(tail) && closedTail.test(tail);
}
