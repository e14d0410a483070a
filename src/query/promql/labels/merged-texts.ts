/**
 * Merges lists of distinct texts that ascend by bytes. No list grows while it is merged, and no
 * text is hashed, so the time is linear in the bytes whatever the texts are.
 */

import { noteTextWork } from '../../limits/text-work.js';
import { inSpans, inTurns, kSpan, sortInTurns, type Pauses } from '../../limits/turns.js';

import type { PackedTexts } from '../../../storage/storage.js';
import type { LabelColumn } from './column.js';

/** The texts of a column in ascending order. `ranks`: from 1, by code; null: codes are ranks. */
interface AscendingTexts {
  readonly texts: PackedTexts;
  readonly ranks: Uint32Array | null;
}

export async function ascendingTexts(column: LabelColumn, pauses: Pauses): Promise<AscendingTexts> {
  await column.pack(pauses);
  const { packed } = column;
  if (column.isAscending) return { texts: packed, ranks: null };
  const places: number[] = [];
  await inSpans(pauses, { count: column.textCount }, (from, to) => {
    for (let place = from; place < to; place += 1) places.push(place);
  });
  const both = [packed, packed] as const;
  const byBytes = (a: number, b: number): number => orderOf(both, a, b);
  return sorted(packed, await sortInTurns(pauses, places, byBytes), pauses);
}

/** Texts that differ only by invalid characters are equal once packed, and share a rank. */
async function sorted(
  packed: PackedTexts,
  order: readonly number[],
  pauses: Pauses,
): Promise<AscendingTexts> {
  const texts = new ListedTexts(packed.ends.length, packed.bytes.length);
  const ranks = new Uint32Array(order.length + 1);
  const both = [packed, packed] as const;
  await inTurns(pauses, order, (place, at) => {
    const isNew = at === 0 || orderOf(both, order[at - 1] ?? 0, place) !== 0;
    if (isNew) texts.add(packed, place);
    ranks[place + 1] = texts.count;
  });
  return { texts: texts.packed(), ranks };
}

/** A text is as much work as so many cheap steps. */
const kStepsOfText = 8;

/** The order by bytes of a text of one list and a text of another. */
function orderOf([left, right]: readonly [PackedTexts, PackedTexts], a: number, b: number): number {
  const from = a === 0 ? 0 : (left.ends[a - 1] ?? 0);
  const start = b === 0 ? 0 : (right.ends[b - 1] ?? 0);
  const [size, otherSize] = [(left.ends[a] ?? 0) - from, (right.ends[b] ?? 0) - start];
  const common = Math.min(size, otherSize);
  for (let at = 0; at < common; at += 1) {
    const order = (left.bytes[from + at] ?? 0) - (right.bytes[start + at] ?? 0);
    if (order === 0) continue;
    noteTextWork(at);
    return order;
  }
  noteTextWork(common);
  return size - otherSize;
}

/** Packed texts of known size. */
class ListedTexts {
  readonly #bytes: Uint8Array;
  readonly #ends: Uint32Array;
  #size = 0;
  count = 0;

  constructor(mostTexts: number, mostBytes: number) {
    this.#bytes = new Uint8Array(mostBytes);
    this.#ends = new Uint32Array(mostTexts);
  }

  add({ bytes, ends }: PackedTexts, place: number): void {
    const end = ends[place] ?? 0;
    const start = place === 0 ? 0 : (ends[place - 1] ?? 0);
    noteTextWork(end - start);
    for (let at = start; at < end; at += 1) this.#bytes[this.#size++] = bytes[at] ?? 0;
    this.#ends[this.count++] = this.#size;
  }

  packed(): PackedTexts {
    return {
      bytes: this.#bytes.subarray(0, this.#size),
      ends: this.#ends.subarray(0, this.count),
    };
  }
}

/** The ranks of two lists' texts in both together, from 1. `ranks` have a 0 for code 0. */
interface JointRanks {
  readonly left: Uint32Array;
  readonly right: Uint32Array;
  readonly count: number;
}

export async function jointRanks(
  left: PackedTexts,
  right: PackedTexts,
  pauses: Pauses,
): Promise<JointRanks> {
  const both = [left, right] as const;
  const [leftCount, rightCount] = [left.ends.length, right.ends.length];
  const ranks = { left: new Uint32Array(leftCount + 1), right: new Uint32Array(rightCount + 1) };
  let [a, b, count] = [0, 0, 0];
  while (a < leftCount || b < rightCount) {
    const most = count + kSpan / kStepsOfText;
    do {
      const order = a === leftCount ? 1 : b === rightCount ? -1 : orderOf(both, a, b);
      count += 1;
      if (order <= 0) ranks.left[++a] = count;
      if (order >= 0) ranks.right[++b] = count;
    } while (count < most && !pauses.isTextDue && (a < leftCount || b < rightCount));
    if (count === most || pauses.isTextDue) await pauses.breathe();
  }
  return { ...ranks, count };
}

/** Texts of several lists. `ranks`: by list and code. */
interface MergedTexts {
  readonly texts: PackedTexts;
  readonly ranks: readonly Uint32Array[];
}

/** REQUIRES: at least one list. */
export async function mergedTexts(
  lists: readonly PackedTexts[],
  pauses: Pauses,
): Promise<MergedTexts> {
  const [first] = lists;
  if (first === undefined) throw new Error('there are lists to merge');
  if (lists.length === 1) return { texts: first, ranks: [await ranksBelow(first, pauses)] };
  const middle = lists.length >> 1;
  const left = await mergedTexts(lists.slice(0, middle), pauses);
  const right = await mergedTexts(lists.slice(middle), pauses);
  const joint = await jointRanks(left.texts, right.texts, pauses);
  for (const ranks of left.ranks) await moveRanks(ranks, joint.left, pauses);
  for (const ranks of right.ranks) await moveRanks(ranks, joint.right, pauses);
  const texts = await union([left.texts, right.texts], joint, pauses);
  // Many short lists are as long work as a few long ones.
  await pauses.breathe();
  return { texts, ranks: [...left.ranks, ...right.ranks] };
}

async function ranksBelow({ ends }: PackedTexts, pauses: Pauses): Promise<Uint32Array> {
  const ranks = new Uint32Array(ends.length + 1);
  await inSpans(pauses, { count: ranks.length }, (from, to) => {
    for (let code = from; code < to; code += 1) ranks[code] = code;
  });
  return ranks;
}

async function moveRanks(ranks: Uint32Array, moved: Uint32Array, pauses: Pauses): Promise<void> {
  await inSpans(pauses, { count: ranks.length }, (from, to) => {
    for (let code = from; code < to; code += 1) ranks[code] = moved[ranks[code] ?? 0] ?? 0;
  });
}

/** A list that has all texts of the other is the union. */
async function union(
  [left, right]: readonly [PackedTexts, PackedTexts],
  ranks: JointRanks,
  pauses: Pauses,
): Promise<PackedTexts> {
  if (ranks.count === left.ends.length) return left;
  if (ranks.count === right.ends.length) return right;
  const texts = new ListedTexts(ranks.count, left.bytes.length + right.bytes.length);
  let [a, b] = [0, 0];
  while (texts.count < ranks.count) {
    const most = Math.min(ranks.count, texts.count + kSpan / kStepsOfText);
    do {
      const rank = texts.count + 1;
      const isRight = ranks.right[b + 1] === rank;
      const isLeft = ranks.left[a + 1] === rank;
      if (isLeft) texts.add(left, a);
      else texts.add(right, b);
      if (isLeft) a += 1;
      if (isRight) b += 1;
    } while (texts.count < most && !pauses.isTextDue);
    if (texts.count < ranks.count) await pauses.breathe();
  }
  return texts.packed();
}
