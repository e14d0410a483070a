/** absent and absent_over_time: what there should be and is not. */

import { kNameKey, LabelTable } from '../labels/label-table.js';
import { argumentAt, unwrapped, vectorAt } from './arguments.js';
import { rangeRows } from './range-functions.js';
import { absentRow } from './time-functions.js';

import type { PromqlExpression } from '../syntax/ast.js';
import { definePromql, type PromqlFunction } from './promql-function.js';

/** What a selector says for certain; of all else nothing is known. */
function labelsOfSelector(expression: PromqlExpression): LabelTable {
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

export const absentFunctions: readonly PromqlFunction[] = [
  definePromql({
    name: 'absent',
    takes: ['vector'],
    sentence: '1 with the labels of the selector, if it has no element.',
    example: 'absent(nothing{job="api"})',
    answer: '{job="api"} 1',
    evaluate: async (asked) =>
      absentRow(asked, await vectorAt(asked, 0), labelsOfSelector(argumentAt(asked, 0))),
  }),
  definePromql({
    name: 'absent_over_time',
    takes: ['matrix'],
    sentence: '1 with the labels of the selector, if the window has no sample.',
    example: 'absent_over_time(nothing{job="api"}[5m])',
    answer: '{job="api"} 1',
    evaluate: async (asked) => {
      const rows = await rangeRows(asked, 'present_over_time');
      return absentRow(asked, rows, labelsOfSelector(argumentAt(asked, 0)));
    },
  }),
];
