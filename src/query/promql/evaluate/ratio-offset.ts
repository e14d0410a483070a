/** Maps rows to numbers in 0…1 by their labels alone, for samples of series. */

import { noteTextWork } from '../../limits/text-work.js';
import { inSpans } from '../../limits/turns.js';
import { eachRow, type EvaluationContext } from '../vectors/context.js';

import type { LabelTable } from '../labels/label-table.js';

export async function offsetsOf(
  context: EvaluationContext,
  labels: LabelTable,
): Promise<Float64Array> {
  const { rowCount } = labels;
  const hashes = new Uint32Array(rowCount).fill(0x811c9dc5);
  for (const key of labels.sortedKeys()) {
    const column = labels.columns.get(key);
    if (column === undefined) continue;
    await column.unpack(context.guard);
    await eachRow(context, { rowCount, steps: key.length }, (row) => {
      const text = column.textOf(row);
      if (text === '') return;
      noteTextWork(text.length);
      hashes[row] = hashed(hashed(hashed(hashes[row] ?? 0, `${key}\0`), text), '\0');
    });
  }
  const offsets = new Float64Array(rowCount);
  await inSpans(context.guard, { count: rowCount }, (from, to) => {
    for (let row = from; row < to; row += 1) offsets[row] = mixed(hashes[row] ?? 0) / 2 ** 32;
  });
  return offsets;
}

/** FNV-1a over units of text; http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashed(hash: number, text: string): number {
  let next = hash;
  for (let i = 0; i < text.length; i += 1) {
    next = Math.imul(next ^ text.charCodeAt(i), 0x01000193);
  }
  return next;
}

/** The finalizer of MurmurHash3, so that similar texts are spread apart. */
function mixed(hash: number): number {
  let next = hash;
  next = Math.imul(next ^ (next >>> 16), 0x85ebca6b);
  next = Math.imul(next ^ (next >>> 13), 0xc2b2ae35);
  return (next ^ (next >>> 16)) >>> 0;
}
