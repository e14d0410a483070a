/** absent and absent_over_time: what there should be and is not. */

import { kNameKey, LabelTable } from '../labels/label-table.js';
import { argumentAt, unwrapped, vectorAt } from './arguments.js';
import { rangeRows } from './range-functions.js';
import { absentRow } from './time-functions.js';

import type { Expression } from '../syntax/ast.js';
import type { Implementations } from './implementation.js';

/** What a selector says for certain; of all else nothing is known. */
function labelsOfSelector(expression: Expression): LabelTable {
  const asked = unwrapped(expression);
  if (asked.kind === 'matrix') return labelsOfSelector(asked.of);
  if (asked.kind !== 'selector') return LabelTable.none(1);
  const known = new Map<string, string>();
  const doubtful = new Set<string>();
  for (const { key, op, value } of asked.matchers) {
    if (key === kNameKey) continue;
    if (op === '=' && !known.has(key)) known.set(key, value);
    else doubtful.add(key);
  }
  for (const key of doubtful) known.delete(key);
  return LabelTable.one(known);
}

export const absentFunctions: Implementations = {
  absent: async (asked) =>
    absentRow(asked, await vectorAt(asked, 0), labelsOfSelector(argumentAt(asked, 0))),
  absent_over_time: async (asked) => {
    const rows = await rangeRows(asked, 'present_over_time');
    return absentRow(asked, rows, labelsOfSelector(argumentAt(asked, 0)));
  },
};
