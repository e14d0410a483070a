/** Where rows lie between 0 and 1, by nothing but their labels, for samples of series. */

import type { LabelTable } from '../labels/label-table.js';

export function offsetsOf(labels: LabelTable): Float64Array {
  const hashes = new Uint32Array(labels.rowCount).fill(0x811c9dc5);
  for (const key of labels.sortedKeys()) {
    const column = labels.columns.get(key);
    if (column === undefined) continue;
    const texts = column.texts.map((text) => `${key}\0${text}\0`);
    column.codes.forEach((code, row) => {
      if (code !== 0) hashes[row] = hashed(hashes[row] ?? 0, texts[code - 1] ?? '');
    });
  }
  return Float64Array.from(hashes, (hash) => mixed(hash) / 2 ** 32);
}

/** FNV-1a over units of text; http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashed(hash: number, text: string): number {
  let next = hash;
  for (let i = 0; i < text.length; i += 1) {
    next = Math.imul(next ^ text.charCodeAt(i), 0x01000193);
  }
  return next;
}

/** The finalizer of MurmurHash3, so that near texts lie far apart. */
function mixed(hash: number): number {
  let next = hash;
  next = Math.imul(next ^ (next >>> 16), 0x85ebca6b);
  next = Math.imul(next ^ (next >>> 13), 0xc2b2ae35);
  return (next ^ (next >>> 16)) >>> 0;
}
