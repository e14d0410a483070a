/** Long work over many items that gives way to others, and ends when its query does. */

import type { Guard } from './guard.js';

/** Calls `work` for each item in order. */
export async function inTurns<Item>(
  guard: Guard,
  items: readonly Item[],
  work: (item: Item, at: number) => unknown,
): Promise<void> {
  let to = 0;
  for (let from = 0; from < items.length; from = to) {
    to = Math.min(items.length, from + guard.rowsPerLook);
    for (let at = from; at < to; at++) {
      const item = items[at];
      if (item !== undefined) work(item, at);
    }
    await guard.breathe();
  }
}

/** Fewer are sorted at once. */
const kRunItems = 512;

/** A stable sort. `items` are used up. */
export async function sortInTurns<Item>(
  guard: Guard,
  items: Item[],
  compare: (left: Item, right: Item) => number,
): Promise<readonly Item[]> {
  if (await isSorted(guard, items, compare)) return items;
  let runs: (readonly Item[])[] = [];
  for (let from = 0; from < items.length; from += kRunItems) {
    runs.push(items.slice(from, from + kRunItems).sort(compare));
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
  guard: Guard,
  items: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Promise<boolean> {
  for (let at = 1; at < items.length; at++) {
    const [left, right] = [items[at - 1], items[at]];
    if (left !== undefined && right !== undefined && compare(left, right) > 0) return false;
    if (at % kRunItems === 0) await guard.breathe();
  }
  return true;
}

async function merge<Item>(
  guard: Guard,
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
    if (merged.length % kRunItems === 0) await guard.breathe();
  }
  return merged;
}
