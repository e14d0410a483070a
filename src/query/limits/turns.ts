/** Long work over many items. It yields to other work, and ends when its query ends. */

import type { Guard } from './guard.js';

/** The part of a guard that long work needs. */
export type Pauses = Pick<Guard, 'rowsPerLook' | 'isTextDue' | 'breathe'>;

/** Calls `work` for each item in order. */
export async function inTurns<Item>(
  guard: Pauses,
  items: ArrayLike<Item>,
  work: (item: Item, at: number) => unknown,
): Promise<void> {
  let at = 0;
  while (at < items.length) {
    const to = Math.min(items.length, at + guard.rowsPerLook);
    do {
      const item = items[at];
      if (item !== undefined) work(item, at);
      at += 1;
    } while (at < to && !guard.isTextDue);
    await guard.breathe();
  }
}

/** The most cheap steps of work without a pause: about 0.1 ms. */
export const kSpan = 4096;

interface Spanned {
  readonly count: number;
  /** The cheap steps of one place. Default: 1. */
  readonly width?: number;
}

/**
 * Calls `work` for ranges of places that together are 0 to `count`. Pauses after each full range. A
 * short list does not look at the clock.
 */
export async function inSpans(
  pauses: Pick<Guard, 'breathe'>,
  { count, width = 1 }: Spanned,
  work: (from: number, to: number) => void,
): Promise<void> {
  const most = Math.max(1, Math.floor(kSpan / width));
  for (let from = 0; from < count; from += most) {
    const to = Math.min(count, from + most);
    work(from, to);
    if (to - from === most) await pauses.breathe();
  }
}

/** The results of `work` for the items, in order, in batches. */
export async function* mappedInTurns<Item, Result>(
  guard: Pauses,
  items: readonly Item[],
  work: (item: Item) => Result,
): AsyncGenerator<readonly Result[]> {
  let at = 0;
  while (at < items.length) {
    await guard.breathe();
    const to = Math.min(items.length, at + guard.rowsPerLook);
    const results: Result[] = [];
    do {
      const item = items[at];
      if (item !== undefined) results.push(work(item));
      at += 1;
    } while (at < to && !guard.isTextDue);
    yield results;
  }
}

/**
 * The most items that are sorted without a pause. The minimum is for slow comparisons of long
 * texts.
 */
const kRunItems = 512;
const kRunItemsMin = 16;

/** A stable sort. The caller must not use `items` afterwards. */
export async function sortInTurns<Item>(
  guard: Pauses,
  items: Item[],
  compare: (left: Item, right: Item) => number,
): Promise<readonly Item[]> {
  if (await isSorted(guard, items, compare)) return items;
  let runs: (readonly Item[])[] = [];
  let size = kRunItemsMin;
  for (let from = 0; from < items.length;) {
    runs.push(items.slice(from, from + size).sort(compare));
    from += size;
    // After a fast run, the next one is longer.
    size = guard.isTextDue ? kRunItemsMin : Math.min(kRunItems, 2 * size);
    await guard.breathe();
  }
  while (runs.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await merge(guard, [runs[at] ?? [], runs[at + 1] ?? []], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function isSorted<Item>(
  guard: Pauses,
  items: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Promise<boolean> {
  for (let at = 1; at < items.length; at++) {
    const [left, right] = [items[at - 1], items[at]];
    if (left !== undefined && right !== undefined && compare(left, right) > 0) return false;
    if (at % kRunItems === 0 || guard.isTextDue) await guard.breathe();
  }
  return true;
}

async function merge<Item>(
  guard: Pauses,
  [left, right]: readonly [readonly Item[], readonly Item[]],
  compare: (left: Item, right: Item) => number,
): Promise<readonly Item[]> {
  if (right.length === 0) return left;
  const merged: Item[] = [];
  let [a, b] = [0, 0];
  while (merged.length < left.length + right.length) {
    const [one, other] = [left[a], right[b]];
    const takesLeft = other === undefined || (one !== undefined && compare(one, other) <= 0);
    const next = takesLeft ? one : other;
    if (next !== undefined) merged.push(next);
    if (takesLeft) a += 1;
    else b += 1;
    if (merged.length % kRunItems === 0 || guard.isTextDue) await guard.breathe();
  }
  return merged;
}
