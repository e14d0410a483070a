/** The combined presence of several rows. */

import { eachRow, type EvaluationContext } from './context.js';

import type { RowIds } from '../labels/row-ids.js';
import type { VectorValue } from './value.js';

/** 1 for each id and step at which any row of that id has a value. */
export async function presenceById(
  context: EvaluationContext,
  { labels: { rowCount }, present }: VectorValue,
  { ids, count, steps }: RowIds & { readonly steps: number },
): Promise<Uint8Array> {
  const there = new Uint8Array(count * steps);
  await eachRow(context, { rowCount, steps }, (row) => {
    const into = (ids[row] ?? 0) * steps;
    for (let step = 0; step < steps; step += 1) {
      if (present === null || present[row * steps + step] === 1) there[into + step] = 1;
    }
  });
  return there;
}

/** The same for all rows together. */
export function presenceOfAny(
  context: EvaluationContext,
  vector: VectorValue,
  steps: number,
): Promise<Uint8Array> {
  const ids = new Uint32Array(vector.labels.rowCount);
  return presenceById(context, vector, { ids, count: 1, steps });
}
